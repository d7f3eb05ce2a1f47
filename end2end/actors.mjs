// Who acts in the journeys, and what each of them does on the pages: Mia, the administrator; the agent `support`; ana and yuki, who
// talk to it.

import { equal, match, ok } from 'node:assert/strict';
import { settled, visit } from './chromium.mjs';

export const MIA = { name: 'Mia Keller', email: 'mia@example.org', password: 'three calm herons wade' };

/** What ana and yuki say (A13), and what must come of it: the kind, the confidence within 0.10, a word that it must hold. */
export const ANA = [
  { says: 'I prefer code examples in Python rather than pseudocode.', kind: 'preference', confidence: 0.9, holds: 'Python' },
  { says: "I'm the CTO of StartupCorp and we're building a SaaS platform.", kind: 'fact', confidence: 0.95, holds: 'StartupCorp' },
  { says: 'We launch our product next month, so I need everything ready quickly.', kind: 'context', confidence: 0.85, holds: 'launch' },
];
export const YUKI = [
  { says: 'コード例は擬似コードではなくPythonで受け取る方が好きです。', kind: 'preference', confidence: 0.9, holds: '擬似コード' },
  { says: '私はStartupCorpのCTOで、SaaSプラットフォームを構築しています。', kind: 'fact', confidence: 0.95, holds: 'StartupCorp' },
  { says: '来月プロダクトをローンチするので、すぐにすべてを準備する必要があります。', kind: 'context', confidence: 0.85, holds: 'ローンチ' },
];

/** Mia opens the link that the server printed and becomes the first administrator. */
export async function setUp(page, server) {
  const link = await server.setupLink();
  await visit(page, link);
  await page.getByLabel('Your name').fill(MIA.name);
  await page.getByLabel('E-mail').fill(MIA.email);
  await page.getByLabel('Password').fill(MIA.password);
  await page.getByRole('button', { name: 'Make the administrator' }).click();
  await page.waitForURL((url) => url.pathname !== '/setup');
  await settled(page);
  return link;
}

export async function signIn(page, server, { email, password } = MIA) {
  await visit(page, `${server.url}/login`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await settled(page);
}

export async function makeAgent(page, server, name) {
  await visit(page, `${server.url}/agents`);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Make the agent' }).click();
  await page.waitForURL((url) => url.pathname === `/agents/${name}`);
  await settled(page);
}

/** Makes a key on the agent's page and gives what is shown this once. */
export async function makeKey(page, server, agent, scopes = ['send conversations', 'ask for a context', 'propose']) {
  await visit(page, `${server.url}/agents/${agent}`);
  await page.getByLabel('What it is for').fill('the assistant of the journey');
  for (const scope of ['send conversations', 'ask for a context', 'propose', 'read the queue', 'decide', 'read memories', 'read the audit', 'read exports', 'administer']) {
    const box = page.getByRole('checkbox', { name: scope, exact: true });
    if (await box.count()) await box.setChecked(scopes.includes(scope));
  }
  await page.getByRole('button', { name: 'Make a key' }).click();
  const key = await page.locator('text=/keep_live_[0-9A-Za-z]{36}/').first().textContent();
  const found = key.match(/keep_live_[0-9A-Za-z]{36}/)[0];
  await visit(page, `${server.url}/agents/${agent}`);
  ok(!(await page.content()).includes(found), 'the key is shown a second time');
  return found;
}

/** A key of Mia's own, by the command line, with which a person reads and decides over REST. */
export async function personKey(server, agent = 'support') {
  const scopes = 'candidates:read,review:write,memories:read,audit:read,admin';
  const printed = await server.command(['key', 'create', '--agent', agent, '--scopes', scopes, '--person', MIA.email]);
  match(printed, /^keep_live_[0-9A-Za-z]{36}$/);
  return server.as(printed);
}

/** The candidates of a user in one status, newest page only. */
export async function candidates(mia, user, status = 'pending') {
  const found = await mia.get(`/candidates?status=${status}&user_id=${encodeURIComponent(user)}&limit=50`);
  equal(found.next, null);
  return found.data;
}

/** What the agent is told about a user right now. */
export async function context(agent, user) {
  const told = await agent.post('/context', { user_id: user, max_tokens: 1000 });
  return { ...told, contents: told.items.map((item) => item.content).sort() };
}
