// What goes wrong at the desk is told, put back, and never hits the wrong candidate.

import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { candidates, makeAgent, makeKey, personKey, setUp } from '../actors.mjs';
import { visit } from '../chromium.mjs';
import { eventually } from '../keepsake.mjs';

export const title = 'Mia and Aiko decide at the same desk over a bad line';

const current = (page) => page.evaluate(() => document.querySelector('#candidate [data-candidate]')?.dataset.candidate);
const rows = (page) => page.locator('#list li').count();
/** What the heading, the chip of the whole, the menu and the title say. */
const counts = (page) => page.evaluate(() =>
  [document.querySelector('#counts'), document.querySelector('.filters .chip'), document.querySelector('#waiting'), document.querySelector('title')]
    .map((place) => place.textContent.match(/\d+/)?.[0]));
const flash = (page) => page.locator('#flash').innerText();
const ids = (page) => page.locator('#list li').evaluateAll((all) => all.map((row) => row.dataset.id));
/** The rows that are marked as open, and the one that has the focus. */
const marked = (page) => page.locator('#list a[aria-current]').evaluateAll((all) => all.map((row) => row.parentElement.dataset.id));
const focusedRow = (page) => page.evaluate(() => document.activeElement.closest('#list li')?.dataset.id);
/** In how many rows the buttons of the candidate stand. */
const buttonRows = (page) => page.locator('#candidate .actions :is(button, summary, a.button)')
  .evaluateAll((all) => new Set(all.filter((one) => one.offsetHeight > 0).map((one) => Math.round(one.getBoundingClientRect().top))).size);

export default async function (stage) {
  const server = await stage.keepsake();
  const page = await stage.window();
  await setUp(page, server);
  await makeAgent(page, server, 'support');
  const agent = server.as(await makeKey(page, server, 'support'));
  const mia = await personKey(server);
  for (let n = 1; n <= 12; n += 1) await agent.post('/candidates', { user_id: 'bo', kind: 'preference', content: `User prefers tea number ${n}` });

  await stage.step('Aiko was first: Mia is told by whom, sees the decision, and nothing else was touched', async () => {
    await visit(page, `${server.url}/review`);
    const id = await current(page);
    await mia.post(`/candidates/${id}/approve`, { content: 'User prefers green tea' });
    await page.keyboard.press('a');
    await eventually('the conflict', async () => /Approved by/.test(await flash(page)));
    equal(await current(page), id);
    match(await page.locator('#candidate').innerText(), /green/);
    equal((await candidates(mia, 'bo', 'approved')).length, 1);
    ok(await page.evaluate(() => document.activeElement.matches('#flash .notice')), 'the focus is at the message');
    const [told, actions] = await Promise.all(['.foot .notice', '#candidate .actions'].map((all) => page.locator(all).boundingBox()));
    ok(told.y >= actions.y + actions.height, 'the message covers a button');
  });

  await stage.step('a refused edit comes back with what was typed', async () => {
    await visit(page, `${server.url}/review`);
    const id = await current(page);
    await page.keyboard.press('e');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('my key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL and card 4111 1111 1111 1111');
    await page.keyboard.press('Control+Enter');
    await eventually('the refusal', async () => /password, key or card/.test(await page.locator('#candidate, #flash').allInnerTexts().then((all) => all.join())));
    equal(await current(page), id);
    match(await page.locator('#candidate textarea[name=content]').inputValue(), /4111/);
    equal((await candidates(mia, 'bo', 'approved')).length, 1);
  });

  await stage.step('an emptied one too: its row alone is marked, and the focus is in the field that is wrong', async () => {
    await visit(page, `${server.url}/review`);
    const id = await current(page);
    await page.keyboard.press('e');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Control+Enter');
    await eventually('the fault', async () => page.evaluate(() => document.activeElement.matches('#candidate textarea[name=content][aria-invalid]')));
    equal(await current(page), id);
    deepEqual(await marked(page), [id]);
  });

  await stage.step('on a slow line three keys decide three different candidates, in order', async () => {
    await visit(page, `${server.url}/review`);
    await page.route(/approve|reject|review/, async (route) => { await new Promise((r) => setTimeout(r, 300)); await route.continue().catch(() => {}); });
    const ids = await page.locator('#list li').evaluateAll((all) => all.slice(0, 3).map((row) => row.dataset.id));
    await page.keyboard.press('a');
    await page.keyboard.press('r');
    await page.keyboard.press('2');
    await page.keyboard.press('a');
    await eventually('three decisions', async () => (await Promise.all(ids.map((id) => mia.get(`/candidates/${id}`)))).every((one) => one.status !== 'pending'));
    const [one, two, three] = await Promise.all(ids.map((id) => mia.get(`/candidates/${id}`)));
    deepEqual([one.status, two.status, two.reason, three.status], ['approved', 'rejected', 'wrong', 'approved']);
    await eventually('a quiet list', async () => (await rows(page)) === 8);
  });

  await stage.step('u right after a takes back that decision and no other', async () => {
    const id = await current(page);
    await page.keyboard.press('a');
    await page.keyboard.press('u');
    await eventually('it waits again', async () => (await mia.get(`/candidates/${id}`)).version >= 3);
    equal((await mia.get(`/candidates/${id}`)).status, 'pending');
    await eventually('it is in view', async () => (await current(page)) === id);
    await eventually('eight rows', async () => (await rows(page)) === 8);
    await page.unroute(/approve|reject|review/);
  });

  await stage.step('the heading, the chip, the menu and the title count alike after a decision and after its undo', async () => {
    await page.keyboard.press('a');
    await eventually('seven rows, told', async () => (await rows(page)) === 7 && /Approved/.test(await flash(page)));
    deepEqual(await counts(page), ['7', '7', '7', '7']);
    await page.keyboard.press('u');
    await eventually('eight rows', async () => (await rows(page)) === 8);
    deepEqual(await counts(page), ['8', '8', '8', '8']);
  });

  await stage.step('after an undo the candidate is where it was: open, marked, in view and with the focus; j goes on from there', async () => {
    await visit(page, `${server.url}/review`);
    const before = await ids(page);
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('j');
    await eventually('the fourth', async () => (await current(page)) === before[3]);
    for (const key of ['r', '1', 'u']) await page.keyboard.press(key);
    await eventually('it waits again', async () => (await mia.get(`/candidates/${before[3]}`)).version >= 3);
    await eventually('it is in view', async () => (await current(page)) === before[3] && (await focusedRow(page)) === before[3]);
    deepEqual(await marked(page), [before[3]]);
    deepEqual(await ids(page), before);
    const [row, list] = await Promise.all(['#list li:has(a[aria-current])', '#list'].map((all) => page.locator(all).boundingBox()));
    ok(row.y >= list.y && row.y + row.height <= list.y + list.height + 1, 'its row is out of sight');
    await page.keyboard.press('j');
    await eventually('the fifth', async () => (await current(page)) === before[4]);
  });

  await stage.step('a decision and its undo leave the buttons where they are', async () => {
    const place = () => page.locator('#candidate .actions').evaluate((all) => all.getBoundingClientRect().bottom);
    await visit(page, `${server.url}/review`);
    const quiet = await place();
    await page.keyboard.press('a');
    await eventually('the message', async () => /Approved/.test(await flash(page)));
    equal(await place(), quiet);
    const [told, foot] = await Promise.all(['.foot .notice', '.foot'].map((all) => page.locator(all).boundingBox()));
    ok(told.y + told.height <= foot.y + foot.height - 2, 'the message touches the lower edge');
    await page.keyboard.press('u');
    await eventually('eight rows', async () => (await rows(page)) === 8);
  });

  await stage.step('without a server nothing is lost: the row, the form and what was typed come back', async () => {
    await visit(page, `${server.url}/review`);
    const id = await current(page);
    await page.keyboard.press('e');
    await page.keyboard.type(' typed');
    await page.route(/approve/, (route) => route.abort());
    await page.keyboard.press('Control+Enter');
    await eventually('the message', async () => /does not answer/.test(await flash(page)));
    equal(await current(page), id);
    equal(await rows(page), 8);
    match(await page.locator('#candidate textarea[name=content]').inputValue(), /typed/);
    equal((await mia.get(`/candidates/${id}`)).status, 'pending');
    await page.unroute(/approve/);
    page.faults.length = 0;
  });

  await stage.step('what did not arrive waits in the list with what was typed, while the next one is typed into', async () => {
    await visit(page, `${server.url}/review`);
    const [id, next] = await page.locator('#list li').evaluateAll((all) => all.map((row) => row.dataset.id));
    const typed = page.locator('#candidate textarea[name=content]');
    let fail;
    const failing = new Promise((resolve) => { fail = resolve; });
    await page.route(/approve/, async (route) => { await failing; await route.abort(); });
    await page.keyboard.press('e');
    await page.keyboard.type(' typed first');
    await page.keyboard.press('Control+Enter');
    await eventually('the next candidate', async () => (await current(page)) === next);
    await page.keyboard.press('e');
    await page.keyboard.type(' typed second');
    fail();
    await eventually('the message', async () => /does not answer/.test(await flash(page)));
    equal(await current(page), next);
    match(await typed.inputValue(), /typed second/);
    equal(await page.locator('#list li').first().getAttribute('data-id'), id);
    await page.keyboard.press('Escape');
    await page.keyboard.press('k');
    await eventually('the first again', async () => (await current(page)) === id);
    match(await typed.inputValue(), /typed first/);
    equal((await mia.get(`/candidates/${id}`)).status, 'pending');
    await page.unroute(/approve/);
    page.faults.length = 0;
  });

  await stage.step('keys rest while an input method composes, with modifiers, and while held down', async () => {
    await visit(page, `${server.url}/review`);
    await page.evaluate(() => {
      const send = (init) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }));
      send({ key: 'a', isComposing: true });
      send({ key: 'a', ctrlKey: true });
      send({ key: 'a', repeat: true });
      send({ key: '1' });
    });
    equal(await rows(page), 8);
    await page.keyboard.press('r');
    await page.keyboard.press('Escape');
    await page.keyboard.press('1');
    equal(await rows(page), 8);
  });

  await stage.step('the address follows, and a reload shows the same candidate without the old message', async () => {
    const before = await current(page);
    await page.keyboard.press('j');
    await eventually('the next candidate', async () => (await current(page)) !== before);
    const id = await current(page);
    ok(page.url().endsWith(`c=${id}`), page.url());
    await visit(page, page.url());
    equal(await current(page), id);
    equal((await flash(page)).trim(), '');
  });

  await stage.step('the last one decided leaves an empty desk with a place for the focus', async () => {
    for (let n = 0; n < 8; n += 1) await page.keyboard.press('a');
    await eventually('nothing waits', async () => (await candidates(mia, 'bo')).length === 0);
    await eventually('the empty list', async () => /Nothing waits/.test(await page.locator('#list').innerText()));
    notEqual(await page.evaluate(() => document.activeElement.localName), 'body');
    equal(await page.locator('#waiting').innerText(), '');
    equal(await current(page), undefined);
  });

  const lookAgain = () => page.evaluate(() => window.dispatchEvent(new Event('focus')));

  await stage.step('what is proposed meanwhile comes into the empty desk when it is looked at again', async () => {
    await agent.post('/candidates', { user_id: 'bo', kind: 'fact', content: 'User lives in Oslo' });
    await lookAgain();
    await eventually('it is in view', async () => /Oslo/.test(await page.locator('#candidate').innerText()));
    equal(await rows(page), 1);
    deepEqual(await counts(page), ['1', '1', '1', '1']);
  });

  await stage.step('it waits while something is open, and then moves neither the focus nor the candidate', async () => {
    const id = await current(page);
    let asked = 0;
    // Where the claim that editing makes is answered with the page, nobody asked for it.
    const count = (request) => { asked += new URL(request.url()).pathname === '/review' && !request.redirectedFrom() ? 1 : 0; };
    await page.keyboard.press('e');
    await page.keyboard.type(' typed');
    page.on('request', count);
    await lookAgain();
    equal(asked, 0);
    page.off('request', count);
    await agent.post('/candidates', { user_id: 'bo', kind: 'fact', content: 'User works at a bakery' });
    await page.keyboard.press('Escape');
    await page.evaluate(() => { document.activeElement.heldBefore = true; });
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await eventually('one told', async () => /^1 new/.test(await page.locator('#arrived').innerText()));
    equal(await rows(page), 1);
    await page.keyboard.press('n');
    await eventually('two rows', async () => (await rows(page)) === 2);
    equal(await current(page), id);
    ok(await page.evaluate(() => document.activeElement.heldBefore));
    match(await page.locator('#candidate textarea[name=content]').inputValue(), /typed/);
    equal(await page.locator('#list a[aria-current]').evaluate((row) => row.parentElement.dataset.id), id);
    await page.locator('#list a[aria-current]').focus();
    await mia.post(`/candidates/${(await candidates(mia, 'bo')).find((one) => one.id !== id).id}/reject`, { reason: 'wrong' });
    await lookAgain();
    await eventually('one row', async () => (await rows(page)) === 1);
    ok(await page.evaluate(() => document.activeElement.matches('#list a[aria-current]')));
    await agent.post('/candidates', { user_id: 'bo', kind: 'fact', content: 'User plays the cello' });
  });

  await stage.step('on a phone a row opens its candidate, and the list comes back', async () => {
    const phone = await stage.window({ width: 390, height: 844 });
    await phone.context().addCookies(await page.context().cookies());
    await visit(phone, `${server.url}/review?agent=support`);
    ok(!(await phone.locator('#candidate').isVisible()));
    const tops = await phone.locator('.rail nav li').evaluateAll((all) => all.map((item) => item.getBoundingClientRect().top));
    equal(new Set(tops).size, 1, 'the menu is one row');
    await phone.locator('#list li a').first().click();
    await phone.locator('#candidate .statement').waitFor();
    match(phone.url(), /agent=support&c=/);
    await phone.goBack();
    await phone.locator('#list').waitFor();
    equal(new URL(phone.url()).search, '?agent=support', 'the way back leads to the list, and its filter is still there');
    await phone.goForward();
    await phone.locator('#candidate').getByRole('button', { name: /Approve/ }).click();
    await eventually('one decided', async () => (await candidates(mia, 'bo')).length === 1);
    await eventually('the other in view', async () => /cello|Oslo/.test(await phone.locator('#candidate .statement').innerText()));
    await eventually('the message', async () => /Approved/.test(await flash(phone)));
    const [told, statement, actions] = await Promise.all(['.foot .notice', '#candidate .statement', '#candidate .actions'].map((all) => phone.locator(all).boundingBox()));
    ok(told.y + told.height <= Math.min(statement.y, actions.y), 'the message covers what is read or pressed');
    await phone.locator('a.back').click();
    ok(await phone.locator('#list').isVisible());
    await eventually('the address of the list', async () => new URL(phone.url()).search === '?agent=support');
  });

  await stage.step('in every width there is room to read, the buttons stand in two rows, and evidence that is none of takes little', async () => {
    for (const width of [768, 1000, 1280]) {
      const window = await stage.window({ width, height: 800 });
      await window.context().addCookies(await page.context().cookies());
      await visit(window, `${server.url}/review`);
      if (width < 900) await window.locator('#list li a').first().click();
      await window.locator('#candidate .statement').waitFor();
      const [candidate, evidence] = await Promise.all(['#candidate', '#evidence'].map((all) => window.locator(all).boundingBox()));
      ok(candidate.width >= 400, `${width}: ${candidate.width} px for the candidate`);
      ok((await buttonRows(window)) <= 2, `${width}: the buttons take more than two rows`);
      ok(evidence.width < 200 || evidence.height < 200, `${width}: ${evidence.width} × ${evidence.height} px for no evidence`);
    }
  });
}
