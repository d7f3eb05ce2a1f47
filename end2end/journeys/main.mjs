// The main job: from a conversation to an approved memory in an agent's context, with every decision made in the browser.

import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { ANA, MIA, YUKI, candidates, context, makeAgent, makeKey, personKey, setUp, signIn } from '../actors.mjs';
import { settled, visit } from '../chromium.mjs';
import { eventually } from '../keepsake.mjs';

export const title = 'Mia decides what the agent may remember about ana and yuki';
export const variants = [
  { database: 'sqlite', scripts: true },
  { database: 'sqlite', scripts: false },
  { database: 'postgres', scripts: true },
];

const EDITED = 'User is the CTO of StartupCorp, which builds a SaaS platform for nurses';

export default async function (stage) {
  const { database, scripts } = stage.variant;
  const server = await stage.step(`keepsake starts on ${database}`, () =>
    stage.keepsake({ database, env: { KEEPSAKE_JOBS_POLL: '200ms', KEEPSAKE_JOBS_SERVINGS_FLUSH: '100ms' } }));
  const page = await stage.window({ scripts });

  await stage.step('Mia becomes the first administrator by the link that the server printed, which works once', async () => {
    const link = await setUp(page, server);
    const again = await page.goto(link);
    notEqual(again.status(), 500);
    equal(await page.getByRole('button', { name: 'Make the administrator' }).count(), 0);
  });
  await stage.step('she signs out, and in again', async () => {
    await visit(page, server.url);
    await page.locator('summary').filter({ hasText: MIA.name }).click();
    await press(page, 'Sign out');
    await page.waitForURL((url) => url.pathname === '/login');
    await page.goto(`${server.url}/review`);
    match(page.url(), /\/login/);
    await signIn(page, server);
  });
  const agent = await stage.step('she makes the agent and its key, which is shown once', async () => {
    await makeAgent(page, server, 'support');
    return server.as(await makeKey(page, server, 'support'));
  });
  const mia = await stage.step('she makes a key of her own on the command line', () => personKey(server));

  await stage.step('the agent tells what ana and yuki said; six candidates of the right kinds wait', async () => {
    await agent.tell('ana', 'c-ana', ...ANA.map(({ says }) => says));
    await agent.tell('yuki', 'c-yuki', ...YUKI.map(({ says }) => says));
    for (const [user, sentences, person] of [['ana', ANA, /^User\b/], ['yuki', YUKI, /^ユーザー/]]) {
      const found = await candidates(mia, user);
      equal(found.length, 3, JSON.stringify(found, null, 1));
      for (const { kind, confidence, holds, says } of sentences) {
        const candidate = found.find((one) => one.kind === kind);
        ok(candidate, `no ${kind} for ${user}`);
        ok(Math.abs(candidate.confidence - confidence) <= 0.1, `${kind} of ${user}: ${candidate.confidence}`);
        ok(candidate.content.includes(holds), candidate.content);
        match(candidate.content, person);
        ok(says.includes(candidate.evidence[0].quote), candidate.evidence[0].quote);
      }
    }
  });
  await stage.step('nothing of it is in a context yet', async () => deepEqual((await context(agent, 'ana')).contents, []));

  const one = async (user, kind) => (await candidates(mia, user)).find((candidate) => candidate.kind === kind);

  const preference = await one('ana', 'preference');
  await stage.step('the queue shows them all, and the words that support one', async () => {
    await visit(page, `${server.url}/review`);
    const rows = await page.locator('#list').getByRole('listitem').count();
    equal(rows, 6);
    await open(page, preference);
    match(await page.locator('#evidence mark').first().textContent(), /Python/);
  });
  await stage.step(`she approves ana's preference ${scripts ? 'by the key a' : 'by its button'}`, async () => {
    if (scripts) await page.keyboard.press('a');
    else await press(page, 'Approve');
    await decided(mia, preference, 'approved');
    await focused(page);
  });
  await stage.step("she edits ana's fact and approves it", async () => {
    const fact = await one('ana', 'fact');
    await visit(page, `${server.url}/review`);
    await open(page, fact);
    await unfold(page, 'Edit', 'e');
    const form = page.locator('#candidate form').filter({ has: page.getByRole('button', { name: 'Save and approve' }) });
    await form.getByLabel('Content').fill(EDITED);
    await form.getByRole('button', { name: 'Save and approve' }).click();
    const after = await decided(mia, fact, 'approved');
    equal(after.content, fact.content, 'what was proposed must not change');
    await focused(page);
  });
  await stage.step("she rejects ana's context with a reason", async () => {
    const launch = await one('ana', 'context');
    await visit(page, `${server.url}/review`);
    await open(page, launch);
    await unfold(page, 'Reject', 'r');
    if (scripts) await page.keyboard.press('1');
    else await press(page.locator('#candidate'), /Not durable/);
    const after = await decided(mia, launch, 'rejected');
    equal(after.reason, 'not_durable');
    await focused(page);
  });
  await stage.step("the agent's context holds exactly the two, with the edit", async () => {
    const told = await context(agent, 'ana');
    deepEqual(told.contents, [EDITED, preference.content].sort());
    for (const content of told.contents) ok(told.block.includes(content), told.block);
    deepEqual((await context(agent, 'yuki')).contents, []);
  });

  await stage.step('she approves a preference of yuki, and undoes it: it is gone from the context and waits again', async () => {
    const wish = await one('yuki', 'preference');
    await visit(page, `${server.url}/review`);
    await open(page, wish);
    await press(page, 'Approve');
    await decided(mia, wish, 'approved');
    deepEqual((await context(agent, 'yuki')).contents, [wish.content]);
    if (scripts) await page.keyboard.press('u');
    else await press(page.locator('#flash'), 'Undo');
    await decided(mia, wish, 'pending');
    deepEqual((await context(agent, 'yuki')).contents, []);
  });
  await stage.step("ana's page tells what is known and what happened", async () => {
    await visit(page, `${server.url}/users`);
    await page.getByRole('link', { name: 'ana', exact: true }).click();
    await settled(page);
    const text = await page.locator('main').innerText();
    for (const said of [EDITED, preference.content, 'Approved', 'Rejected', 'Proposed']) ok(text.includes(said), said);
  });
  await stage.step('the memory shows its revision, the proposal behind the edit, and its evidence', async () => {
    await visit(page, `${server.url}/memories`);
    await page.getByRole('link', { name: EDITED }).first().click();
    await settled(page);
    const text = await page.locator('main').innerText();
    for (const said of [EDITED, MIA.name, "I'm the CTO of StartupCorp"]) ok(text.includes(said), said);
  });

  await stage.step('the audit chain verifies', async () => {
    equal((await mia.get('/audit/verify')).ok, true);
    await server.command(['audit', 'verify']);
  });
  await stage.step('no text of ana or yuki is readable in the database files, the WAL or the log', async () => {
    const canaries = ['StartupCorp', 'pseudocode', '擬似コード', 'ローンチ', 'for nurses', 'c-ana', 'c-yuki'];
    deepEqual(await server.filesWith(canaries), []);
    // The search itself works: what is no secret is found.
    ok((await server.filesWith(['support'])).length > 0);
  });
}

/** Opens one candidate from the list. */
async function open(page, candidate) {
  await page.locator('#list').getByRole('link').filter({ hasText: candidate.content }).first().click();
  await settled(page);
  await page.locator('#candidate').getByText(candidate.content).first().waitFor();
}

/** Presses a button by what it says; a badge with its key may follow. */
async function press(place, name) {
  const said = name instanceof RegExp ? name : new RegExp(`^${name}\\b`);
  await place.getByRole('button', { name: said }).first().click();
}

/** Opens the form behind an action: by its key with scripts, by its summary or button without. */
async function unfold(page, name, key) {
  if (page.scripts) return page.keyboard.press(key);
  await page.locator('#candidate').locator('summary, button, a').filter({ hasText: new RegExp(`^\\s*${name}`) }).first().click();
  return settled(page);
}

async function decided(mia, candidate, status) {
  return eventually(`${candidate.kind} of ${candidate.user_id} to be ${status}`, async () => {
    const now = await mia.get(`/candidates/${candidate.id}`);
    return now.status === status && now;
  });
}

/** With scripts, whoever works by keyboard must not be thrown back to the top of the page. */
async function focused(page) {
  if (page.scripts) notEqual(await page.evaluate(() => document.activeElement?.localName), 'body');
}
