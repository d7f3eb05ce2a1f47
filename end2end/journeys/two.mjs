// Two reviewers at once, and one with many tabs: what one does the other sees, without anything moving under their eyes.

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { MIA, makeAgent, makeKey, personKey, setUp, signIn } from '../actors.mjs';
import { visit } from '../chromium.mjs';
import { eventually } from '../keepsake.mjs';

export const title = 'Mia and Aiko share a queue, and Mia has eight tabs open';
export const variants = [{ database: 'sqlite' }, { database: 'postgres' }];

const AIKO = { name: 'Aiko Mori', email: 'aiko@example.org', password: 'nine early trains leave' };
/** Far less than the fifteen seconds after which a desk looks by itself. */
const AT_ONCE = 5_000;
/** How often a stream looks whether its session lasts. */
const PING = 15_000;

const rows = (page) => page.locator('#list li[data-id]').evaluateAll((all) => all.map((row) => row.dataset.id));
const current = (page) => page.evaluate(() => document.querySelector('#candidate [data-candidate]')?.dataset.candidate);
const flash = (page) => page.locator('#flash').innerText();

export default async function (stage) {
  const server = await stage.keepsake({ database: stage.variant.database });
  const page = await stage.window();
  await setUp(page, server);
  await makeAgent(page, server, 'support');
  const agent = server.as(await makeKey(page, server, 'support'));
  const mia = await personKey(server);
  await server.command(['admin', 'create', '--name', AIKO.name, '--email', AIKO.email, '--password-stdin'], `${AIKO.password}\n`);
  const aiko = await stage.window();
  await signIn(aiko, server, AIKO);
  const propose = (what) => agent.post('/candidates', { user_id: 'bo', kind: 'preference', content: `User prefers ${what}` });
  for (let n = 1; n <= 8; n += 1) await propose(`tea number ${n}`);

  const streams = [];
  page.context().on('request', (request) => { if (new URL(request.url()).pathname === '/live') streams.push(request); });
  await stage.step('both see the same eight, and each hears what happens', async () => {
    const heard = [page, aiko].map((one) => one.waitForRequest((request) => new URL(request.url()).pathname === '/live'));
    await Promise.all([page, aiko].map((one) => visit(one, `${server.url}/review`)));
    deepEqual(await rows(page), await rows(aiko));
    equal((await rows(page)).length, 8);
    await Promise.all(heard);
  });

  await stage.step('Aiko claims one by c: Mia sees it at once, on the row and in the pane', async () => {
    const id = await current(aiko);
    await aiko.keyboard.press('c');
    await eventually('the claim on the row', async () => (await page.locator(`#list li[data-id="${id}"]`).innerText()).includes(AIKO.name), AT_ONCE);
    equal(await current(page), id);
    await eventually('the claim in the pane', async () => (await page.locator('#claim').innerText()).includes(AIKO.name), AT_ONCE);
    await eventually('a way for Aiko to keep her claim', async () => (await aiko.locator('form#heartbeat').count()) === 1);
  });

  await stage.step('Mia cannot decide on it, then takes it over, and Aiko sees who has it now', async () => {
    const id = await current(page);
    await page.keyboard.press('a');
    await eventually('the refusal', async () => (await flash(page)).includes(AIKO.name));
    equal((await mia.get(`/candidates/${id}`)).status, 'pending');
    equal(await current(page), id);
    await page.locator('#claim').getByRole('button').click();
    await eventually('that it is hers', async () => (await page.locator('form#heartbeat').count()) === 1);
    await eventually('Aiko to see it', async () => (await aiko.locator('#claim').innerText()).includes(MIA.name), AT_ONCE);
    await eventually('that she keeps it no more', async () => (await aiko.locator('form#heartbeat').count()) === 0);
    await page.keyboard.press('a');
    await eventually('her decision', async () => (await mia.get(`/candidates/${id}`)).status === 'approved');
    await eventually('the row to leave', async () => !(await rows(aiko)).includes(id), AT_ONCE);
    await eventually('the pane to say by whom', async () => (await aiko.locator('#candidate').innerText()).includes(MIA.name), AT_ONCE);
  });

  await stage.step('a row that Mia decides leaves under Aiko, who edits another: nothing of hers moves', async () => {
    await visit(aiko, `${server.url}/review`);
    const edited = await current(aiko);
    await aiko.keyboard.press('e');
    await aiko.keyboard.type(' typed');
    const other = (await rows(aiko)).at(-1);
    await mia.post(`/candidates/${other}/reject`, { reason: 'wrong' });
    await eventually('the row to leave', async () => !(await rows(aiko)).includes(other), AT_ONCE);
    equal(await current(aiko), edited);
    ok(await aiko.evaluate(() => document.activeElement.matches('textarea[name=content]')), 'the focus was taken');
    match(await aiko.locator('#candidate textarea[name=content]').inputValue(), /typed/);
    await eventually('the counts', async () => (await aiko.locator('#waiting').innerText()) === '6', AT_ONCE);
  });

  await stage.step('Mia decides first on what Aiko edits: Aiko is told by whom, with what stands and what she typed', async () => {
    const id = await current(aiko);
    // The claim of the open form would refuse her; an administrator takes it over first.
    const seen = await mia.ask('POST', `/candidates/${id}/approve`, { content: 'User prefers green tea' });
    if (seen.status === 409) {
      await visit(page, `${server.url}/review?c=${id}`);
      await page.locator('#claim').getByRole('button').click();
      await eventually('that it is hers', async () => (await page.locator('form#heartbeat').count()) === 1);
      await mia.post(`/candidates/${id}/approve`, { content: 'User prefers green tea' });
    }
    await eventually('the row to leave', async () => !(await rows(aiko)).includes(id), AT_ONCE);
    match(await aiko.locator('#candidate textarea[name=content]').inputValue(), /typed/);
    await aiko.keyboard.press('Control+Enter');
    await eventually('the conflict', async () => /Approved by/.test(await flash(aiko)));
    const pane = await aiko.locator('#candidate').innerText();
    ok(pane.includes('green') && pane.includes('typed'), pane);
  });

  await stage.step('what comes in moves nothing: a button tells how many, n shows them', async () => {
    await visit(page, `${server.url}/review`);
    await visit(aiko, `${server.url}/review`);
    const before = await rows(aiko);
    for (let n = 1; n <= 3; n += 1) await propose(`coffee number ${n}`);
    await eventually('three told', async () => /^3 new/.test(await aiko.locator('#arrived').innerText()), AT_ONCE);
    deepEqual(await rows(aiko), before);
    const open = await current(aiko);
    await aiko.keyboard.press('n');
    await eventually('all in the list', async () => (await rows(aiko)).length === before.length + 3);
    equal(await current(aiko), open);
    equal(await aiko.locator('#arrived').innerText(), '');
  });

  await stage.step('with eight tabs one stream is open, none hangs, and all hear', async () => {
    const tabs = [page];
    for (let n = 1; n < 8; n += 1) {
      const tab = Object.assign(await page.context().newPage(), { scripts: true, faults: page.faults });
      await visit(tab, `${server.url}/review`);
      tabs.push(tab);
    }
    const open = async () => (await Promise.all(streams.map(async (request) => request.failure() === null && !(await ended(request))))).filter(Boolean).length;
    equal(await open(), 1, 'streams open');
    const [gone] = await rows(page);
    await mia.post(`/candidates/${gone}/reject`, { reason: 'wrong' });
    for (const [n, tab] of tabs.entries()) await eventually(`tab ${n + 1} to hear`, async () => !(await rows(tab)).includes(gone), AT_ONCE);

    const before = streams.length;
    await page.close();
    await eventually('another tab to take over', async () => streams.length > before, AT_ONCE);
    const [next] = await rows(tabs[1]);
    await mia.post(`/candidates/${next}/reject`, { reason: 'wrong' });
    for (const [n, tab] of tabs.slice(1).entries()) await eventually(`tab ${n + 2} to hear`, async () => !(await rows(tab)).includes(next), AT_ONCE);
    for (const tab of tabs.slice(2)) await tab.close();
    stage.pages[stage.pages.indexOf(page)] = tabs[1];
  });

  await stage.step('a session that ends says so; what was typed stays, and is sent once she has signed in again', async () => {
    const desk = stage.pages[0];
    const other = Object.assign(await desk.context().newPage(), { scripts: true, faults: desk.faults });
    await propose('jasmine tea');
    await desk.bringToFront();
    await visit(desk, `${server.url}/review`);
    const id = await current(desk);
    await desk.keyboard.press('e');
    await desk.keyboard.type(' typed at the end');
    await visit(other, `${server.url}/`);
    await other.locator('summary').filter({ hasText: MIA.name }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.waitForURL((url) => url.pathname === '/login');
    await desk.bringToFront();
    await eventually('the desk to say so', async () => /session has ended/.test(await flash(desk)), 2 * PING);
    const typed = desk.locator('#candidate textarea[name=content]');
    match(await typed.inputValue(), /typed at the end/);
    await desk.keyboard.press('Control+Enter');
    await eventually('the desk to stay', async () => /session has ended/.test(await flash(desk)) && /typed at the end/.test(await typed.inputValue()));
    equal((await mia.get(`/candidates/${id}`)).status, 'pending');
    await other.bringToFront();
    await signIn(other, server);
    await desk.bringToFront();
    await desk.keyboard.press('Control+Enter');
    await eventually('the approval', async () => (await mia.get(`/candidates/${id}`)).status === 'approved');
    match((await mia.get(`/memories/${(await mia.get(`/candidates/${id}`)).memory}`)).content, /typed at the end/);
  });
}

/** Whether a request is over. */
async function ended(request) {
  return Promise.race([request.response().then((answer) => answer?.finished()).then(() => true, () => true), new Promise((resolve) => setTimeout(resolve, 50, false))]);
}
