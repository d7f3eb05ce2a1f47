// Who may open what: a viewer, a reviewer, an auditor and an administrator each walk the pages. What their menu has opens; what it has
// not is refused on a page that says which role is needed and who can give it. The demo and the first steps, as a newcomer meets them.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIA, makeAgent, setUp } from '../actors.mjs';
import { axe, settled, visit } from '../chromium.mjs';
import { eventually } from '../keepsake.mjs';
import { LOOKS } from './look.mjs';

export const title = 'Each role sees its pages and is told what it lacks';

const FULL = !!process.env.KEEPSAKE_FULL;
const PASSWORD = 'nine slow otters drift';
const ARIA = join(import.meta.dirname, '../aria');

/** What each role finds in the menu, and what is refused. */
const ROLES = {
  viewer: { name: 'Vera Lind', sees: ['/', '/review', '/users', '/memories', '/agents'], lacks: ['/agents/support/kinds/new', '/admin', '/audit', '/requests'] },
  reviewer: { name: 'Rui Sato', sees: ['/', '/review', '/users', '/memories', '/agents'], lacks: ['/agents/support/kinds/new', '/admin', '/audit', '/requests'] },
  auditor: { name: 'Ada Quist', sees: ['/', '/review', '/users', '/memories', '/agents', '/audit', '/holds', '/requests'], lacks: ['/agents/support/kinds/new', '/admin', '/webhooks'] },
  admin: { name: 'Bo Winter', sees: ['/', '/review', '/users', '/memories', '/agents', '/audit', '/holds', '/requests', '/admin', '/webhooks', '/agents/support/kinds/new'], lacks: [] },
};

/** The words of the refusal, and of the button that decides, in each language. */
const WORDS = {
  'en-US': { lacks: 'This needs the role', first: 'First steps' },
  'ja-JP': { lacks: '次の権限が必要です', first: 'はじめの手順' },
  'zh-CN': { lacks: '此操作需要以下角色', first: '最初的步骤' },
};

export default async function (stage) {
  const server = await stage.keepsake();
  const mias = await stage.window({ width: 1280, height: 800 });
  await stage.step('the first page of all can be read by everybody', async () => {
    await strangers(stage, await server.setupLink());
  });
  await stage.step('a newcomer is led, and fills the demo in', async () => {
    await setUp(mias, server);
    await visit(mias, `${server.url}/`);
    await mias.getByRole('heading', { name: 'First steps' }).waitFor();
    deepEqual(await axe(mias), []);
    await mias.getByRole('button', { name: 'Fill in demo data' }).click();
    await mias.waitForURL((url) => url.pathname === '/review');
    await settled(mias);
    ok((await mias.content()).includes('demo-lena'));
  });
  await makeAgent(mias, server, 'support');
  await stage.step('the snapshots of the main pages', () => snapshots(mias, server));

  const cookies = {};
  for (const [role, { name }] of Object.entries(ROLES)) {
    await stage.step(`${name} joins as ${role}`, async () => {
      const link = await invite(mias, server, name, role);
      if (role === 'viewer') await strangers(stage, link);
      const window = await stage.window({ width: 1280, height: 800 });
      await visit(window, link);
      await window.locator('input[type=password]').first().fill(PASSWORD);
      await window.locator('main form button.primary').click();
      await window.waitForURL((url) => url.pathname !== '/join');
      cookies[role] = await window.context().cookies();
      await walk(window, server, role, 'en-US');
    });
  }
  const others = FULL ? Object.keys(ROLES) : ['viewer'];
  for (const role of others) {
    for (const look of FULL ? LOOKS : [{ locale: 'ja-JP', dark: true, width: 390, height: 844 }, { locale: 'zh-CN', width: 390, height: 844 }]) {
      await stage.step(`${ROLES[role].name}, ${look.locale}, ${look.dark ? 'dark' : 'light'}, ${look.width} px`, async () => {
        const window = await stage.window(look);
        await window.context().addCookies(cookies[role]);
        await walk(window, server, role, look.locale);
      });
    }
  }
  await stage.step('one press removes the demo', async () => {
    await visit(mias, `${server.url}/agents/demo`);
    deepEqual(await axe(mias), []);
    await mias.getByRole('button', { name: 'Remove the demo' }).click();
    await mias.waitForURL((url) => url.pathname === '/');
    equal((await visit(mias, `${server.url}/agents/demo`)).status(), 404);
  });
}

async function walk(page, server, role, locale) {
  const { sees, lacks } = ROLES[role];
  for (const path of sees) {
    equal((await visit(page, server.url + path)).status(), 200, `${role} ${path}`);
    if (FULL) deepEqual(await axe(page), []);
    const menu = await page.locator('header.rail nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    for (const item of menu) ok(!lacks.includes(item), `${role} is offered ${item}`);
  }
  for (const path of lacks) {
    equal((await visit(page, server.url + path)).status(), 403, `${role} ${path}`);
    const main = await page.locator('main').innerText();
    ok(main.includes(WORDS[locale].lacks), main);
    ok(main.includes(MIA.name), `who can help is named: ${main}`);
    deepEqual(await axe(page), []);
  }
  const decides = role === 'reviewer' || role === 'admin';
  await visit(page, `${server.url}/review?agent=demo`);
  equal((await page.locator('form[action$="/approve"]').count()) > 0, decides, `${role} decides`);
}

/** A page that nobody is signed in for, in each language and theme. */
async function strangers(stage, link) {
  for (const locale of Object.keys(WORDS)) {
    for (const dark of [false, true]) {
      const window = await stage.window({ locale, dark, width: dark ? 390 : 1280, height: 800 });
      equal((await visit(window, link)).status(), 200, link);
      deepEqual(await axe(window), []);
      await window.context().close();
    }
  }
}

/** Mia invites somebody on the page and gives the link that is shown this once. */
async function invite(page, server, name, role) {
  await visit(page, `${server.url}/admin`);
  const form = page.locator('form[action="/admin/people"]');
  await form.locator('[name=name]').fill(name);
  await form.locator('[name=email]').fill(`${role}@example.org`);
  await form.locator('[name="role.0"]').selectOption(role);
  await form.locator('button.primary').click();
  await settled(page);
  const link = await eventually('the link', async () => (await page.content()).match(/https?:\/\/[^\s"'<]*\/join\?token=[^\s"'<&]+/)?.[0]);
  return link;
}

/** The main pages as a screen reader has them. `KEEPSAKE_BLESS=1` writes what is there; numbers, ids and times are no part of it. */
async function snapshots(page, server) {
  mkdirSync(ARIA, { recursive: true });
  const first = async (path, link) => {
    await visit(page, server.url + path);
    return page.locator(`main a[href^="${link}"]`).first().getAttribute('href');
  };
  const pages = [['overview', '/'], ['review', '/review?agent=demo&text=trade+fair'], ['candidate', await first('/review?agent=demo&text=trade+fair', '/candidates/')],
    ['users', '/users'], ['user', await first('/users?text=demo-lena', '/users/usr_')], ['memories', '/memories'],
    ['memory', await first('/memories?text=demo-lena', '/memories/mem_')], ['agents', '/agents'], ['help', '/help']];
  for (const [name, path] of pages) {
    await visit(page, server.url + path);
    const seen = timeless(await page.locator('main').ariaSnapshot());
    const file = join(ARIA, `${name}.yml`);
    if (process.env.KEEPSAKE_BLESS) writeFileSync(file, `${seen}\n`);
    else equal(unordered(`${seen}\n`), unordered(readFileSync(file, 'utf8')), `${name} (KEEPSAKE_BLESS=1 renews it)`);
  }
}

/** What happened at one instant stands in an order of chance. */
const unordered = (seen) => seen.split('\n').sort().join('\n');

function timeless(seen) {
  return seen
    .replace(/(usr|mem|cand|conv|key|srv)_\w+/g, '$1_…')
    .replace(/just now|(\d+ d )?\d+ (s|min|h|d|months?) ago/g, 'some time ago')
    .replace(/\d+ d( \d+ h)?|\d+ (h|min|s)\b/g, '0 d')
    .replace(/\d+ (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/g, '0 Jan')
    .replace(/\d+/g, '0');
}
