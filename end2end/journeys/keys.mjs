// Whoever decides by keyboard is never slowed down, and never loses a key.

import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { candidates, makeAgent, makeKey, personKey, setUp } from '../actors.mjs';
import { axe, settled, visit } from '../chromium.mjs';
import { eventually } from '../keepsake.mjs';

export const title = 'Mia decides ten by ten keys';

export default async function (stage) {
  const server = await stage.keepsake();
  const page = await stage.window();
  await setUp(page, server);
  await makeAgent(page, server, 'support');
  const agent = server.as(await makeKey(page, server, 'support'));
  const mia = await personKey(server);

  await stage.step('twelve proposals wait', async () => {
    const wishes = ['tea', 'short answers', 'the metric system', 'dark mode', 'bullet lists', 'British spelling', 'morning meetings', 'plain text',
      'diagrams', 'tabs', 'window seats', 'paper books'];
    for (const wish of wishes) {
      await agent.post('/candidates', { user_id: 'bo', kind: 'preference', content: `User prefers ${wish}` });
    }
    equal((await candidates(mia, 'bo')).length, 12);
  });
  await stage.step('she presses a ten times as fast as she can; ten are approved, two wait, and focus is on the next', async () => {
    await visit(page, `${server.url}/review`);
    const lost = await watchFocus(page);
    for (let n = 0; n < 10; n += 1) await page.keyboard.press('a');
    await eventually('ten decisions', async () => (await candidates(mia, 'bo', 'approved')).length >= 10);
    await eventually('two rows', async () => (await page.locator('#list').getByRole('listitem').count()) === 2);
    equal((await candidates(mia, 'bo', 'approved')).length, 10);
    equal((await candidates(mia, 'bo')).length, 2);
    deepEqual(await lost(), []);
    notEqual(await page.evaluate(() => document.activeElement.localName), 'body');
  });
  await stage.step('j and k move, u brings the last one back, ? shows the keys and Escape hides them', async () => {
    const now = () => page.evaluate(() => document.querySelector('#list [aria-current]')?.textContent ?? '');
    const first = await now();
    await page.keyboard.press('j');
    await eventually('the next candidate', async () => (await now()) !== first);
    await page.keyboard.press('k');
    await eventually('the first candidate again', async () => (await now()) === first);
    await page.keyboard.press('u');
    await eventually('three to wait', async () => (await candidates(mia, 'bo')).length === 3);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    deepEqual(await page.evaluate(() => [document.activeElement.id, document.querySelector('#help').scrollTop]), ['help-title', 0]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    ok(page.url().startsWith(`${server.url}/review`));
  });
  await stage.step('g and a second key go to a page, v to the evidence, / to the search, x picks and Shift+X up to here', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.waitForURL((url) => url.pathname === '/users');
    await visit(page, `${server.url}/review`);
    await page.keyboard.press('v');
    equal(await page.evaluate(() => document.activeElement.id), 'evidence');
    await page.keyboard.press('/');
    equal(await page.evaluate(() => document.activeElement.name), 'text');
    await page.keyboard.type('tea');
    await page.keyboard.press('Escape');
    ok(await page.evaluate(() => document.activeElement.matches('#list a[aria-current]')), 'the keys are those of the list again');
    await page.keyboard.press('j');
    await eventually('the second row', async () => page.evaluate(() => document.querySelectorAll('#list li a')[1].hasAttribute('aria-current')));
    await visit(page, `${server.url}/review`);
    const picked = () => page.locator('#list input[name=pick]').evaluateAll((all) => all.map((pick) => pick.checked));
    await page.keyboard.press('x');
    deepEqual(await picked(), [true, false, false]);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await eventually('three picked', async () => (await picked()).every(Boolean));
    equal(await page.locator('[data-picked]').innerText(), '3');
    equal((await candidates(mia, 'bo')).length, 3);
  });
  await stage.step('the palette finds by typing, presses by Enter, and gives the focus back', async () => {
    await visit(page, `${server.url}/review`);
    const before = await page.evaluate(() => document.querySelector('#candidate [data-candidate]').dataset.candidate);
    const held = await page.evaluate(() => { document.querySelector('#list a[aria-current]').focus(); return document.activeElement.textContent; });
    await page.keyboard.press('Control+K');
    const field = page.getByRole('combobox');
    await field.waitFor();
    deepEqual(await axe(page), []);
    await page.keyboard.type('skip');
    equal(await page.locator('#palette [role=option]:not([hidden], [data-find])').count(), 1);
    await page.keyboard.press('Escape');
    equal(await page.evaluate(() => document.activeElement.textContent), held);
    await page.keyboard.press('Control+K');
    await page.keyboard.type('skip');
    await page.keyboard.press('Enter');
    await eventually('the next candidate', async () => (await page.evaluate(() => document.querySelector('#candidate [data-candidate]')?.dataset.candidate)) !== before);
    await page.keyboard.press('Control+K');
    await page.keyboard.type('go to users');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/users');
  });
  await stage.step('the palette presses the button that was chosen, not the one that stands in its place by then', async () => {
    await visit(page, `${server.url}/review`);
    await page.evaluate(() => document.addEventListener('click', (event) => {
      if (event.target.closest('#palette')) return;
      window.pressed = event.target.textContent.trim();
      event.preventDefault();
      event.stopPropagation();
    }, true));
    const chosen = () => page.locator('#palette [data-own]').first();
    await page.keyboard.press('Control+K');
    const label = await chosen().locator('span').first().textContent();
    await page.evaluate(() => {
      const other = document.createElement('button');
      other.type = 'button';
      other.textContent = 'Another one';
      document.querySelector('#candidate').prepend(other);
    });
    await chosen().click();
    equal(await page.evaluate(() => window.pressed), label);
    await page.evaluate(() => { delete window.pressed; });
    await page.keyboard.press('Control+K');
    await page.evaluate(() => { document.querySelector('#candidate [data-candidate]').dataset.candidate = 'cand_another'; });
    await page.locator('#palette [data-own]', { hasText: label }).first().click();
    equal(await page.evaluate(() => window.pressed), undefined);
  });
  await stage.step('on every other page the palette opens too and searches, and g leads on; a letter decides nothing', async () => {
    await visit(page, `${server.url}/audit`);
    await page.keyboard.press('a');
    await page.keyboard.press('Control+K');
    await page.locator('#palette input').waitFor();
    deepEqual(await axe(page), []);
    equal(await page.locator('#palette [data-press=approve]:not([hidden])').count(), 0);
    await page.keyboard.type('legal');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/holds');
    await settled(page);
    await page.keyboard.press('Control+K');
    await page.keyboard.type('zoe & 7');
    equal(await page.locator('#palette [role=option]:not([hidden])').first().locator('span').first().innerText(), 'search users for “zoe & 7”');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/users' && url.searchParams.get('q') === 'zoe & 7');
    await settled(page);
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.waitForURL((url) => url.pathname === '/review');
    equal((await candidates(mia, 'bo')).length, 3);
  });
  await stage.step('she gives approving another key; the old one does nothing; then she goes back', async () => {
    await visit(page, `${server.url}/account/keys`);
    deepEqual(await axe(page), []);
    await page.getByLabel('approve', { exact: true }).fill('e');
    await page.getByRole('button', { name: 'Save the keys' }).click();
    await settled(page);
    ok((await page.locator('.fault').first().innerText()).includes('taken'));
    const tops = await page.locator('#key-approve, #key-edit, #key-save').evaluateAll((all) => all.map((field) => Math.round(field.getBoundingClientRect().top)));
    equal(new Set(tops).size, 1, `a fault pushes no field out of its line: ${tops}`);
    await page.getByLabel('approve', { exact: true }).fill('y');
    await page.getByRole('button', { name: 'Save the keys' }).click();
    await settled(page);
    await visit(page, `${server.url}/review`);
    ok((await page.locator('#candidate button.primary').first().innerText()).includes('y'));
    await page.keyboard.press('a');
    await page.keyboard.press('y');
    await eventually('one decided', async () => (await candidates(mia, 'bo')).length === 2);
    await page.keyboard.press('u');
    await eventually('three to wait', async () => (await candidates(mia, 'bo')).length === 3);
    await visit(page, `${server.url}/account/keys`);
    await page.getByRole('button', { name: 'Back to the shipped keys' }).click();
    await settled(page);
    await visit(page, `${server.url}/review`);
  });
  await stage.step('letters that are typed into a form decide nothing', async () => {
    await page.keyboard.press('e');
    const content = page.locator('#candidate').getByLabel('Content');
    await content.waitFor();
    await content.focus();
    await page.keyboard.type(' a r u');
    equal((await candidates(mia, 'bo')).length, 3);
    ok((await content.inputValue()).includes(' a r u'));
  });
  await stage.step('m shows the memories it could be merged into, and Ctrl+Enter merges: no further memory is made', async () => {
    await visit(page, `${server.url}/review`);
    const kept = (await mia.get('/memories?user_id=bo&limit=50')).data.length;
    await page.keyboard.press('m');
    const into = page.locator('#candidate').getByLabel('Merge into');
    await into.waitFor();
    equal(await page.evaluate(() => document.activeElement.name), 'merge_into');
    await page.keyboard.press('Control+Enter');
    await eventually('two to wait', async () => (await candidates(mia, 'bo')).length === 2);
    const now = (await mia.get('/memories?user_id=bo&limit=50')).data;
    equal(now.length, kept);
    equal(now.filter((memory) => memory.revision === 2).length, 1);
  });
}

/** Notes each time that focus falls to the body; what is returned gives the times. */
async function watchFocus(page) {
  await page.evaluate(() => {
    globalThis.lostFocus = [];
    const look = () => {
      if (document.activeElement === document.body) globalThis.lostFocus.push(Math.round(performance.now()));
    };
    // After a removal, not during it: the script of the page may put it right in the same task.
    new MutationObserver(() => queueMicrotask(look)).observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusout', () => setTimeout(look));
  });
  return () => page.evaluate(() => globalThis.lostFocus);
}
