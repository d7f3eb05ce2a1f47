// Somebody protects their account with an app's codes, loses the phone, and comes in by a recovery code.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { MIA, setUp } from '../actors.mjs';
import { axe, settled, visit } from '../chromium.mjs';

export const title = 'Mia signs in with a second factor';

export const variants = [{ scripts: true }, { scripts: false }];

/** Of an app's code, in milliseconds. */
const STEP = 30_000;

export default async function (stage) {
  const server = await stage.keepsake();
  const page = await stage.window({ scripts: stage.variant.scripts });
  const clean = async (window) => { if (stage.variant.scripts) deepEqual(await axe(window), []); };
  await setUp(page, server);

  const { secret, codes } = await stage.step('she scans the picture and gives the first code', async () => {
    await visit(page, `${server.url}/account`);
    await page.locator('main a[href="/account/second-factor"]').first().click();
    await settled(page);
    await clean(page);
    await page.getByRole('button', { name: 'Set up a second factor' }).click();
    await settled(page);
    equal(await page.getByRole('img', { name: 'QR code for the app' }).count(), 1);
    const typed = (await page.locator('code.secret').innerText()).replaceAll(/\s/g, '');
    await clean(page);
    await page.locator('form[action$="/enable"] [name=code]').fill('000000');
    await page.getByRole('button', { name: 'Switch it on' }).click();
    await settled(page);
    ok((await page.locator('main').innerText()).includes('This code is not right'));
    await page.locator('form[action$="/enable"] [name=code]').fill(code(typed, Date.now()));
    await page.getByRole('button', { name: 'Switch it on' }).click();
    await page.locator('ul.codes li').first().waitFor();
    await clean(page);
    const shown = await page.locator('ul.codes li').allInnerTexts();
    equal(shown.length, 10);
    return { secret: typed, codes: shown.map((one) => one.trim()) };
  });
  await stage.step('her password alone opens nothing, the next code does', async () => {
    const window = await half(stage, server);
    await clean(window);
    equal((await visit(window, `${server.url}/users`)).url().includes('/login'), true);
    const again = await half(stage, server);
    // The code that switched it on is used up; the next one is accepted half a minute early.
    await enter(again, code(secret, Date.now() + STEP));
    equal((await visit(again, `${server.url}/users`)).status(), 200);
  });
  await stage.step('a recovery code signs her in once, and never again', async () => {
    const window = await half(stage, server);
    await enter(window, codes[0]);
    equal((await visit(window, `${server.url}/users`)).status(), 200);
    const again = await half(stage, server);
    await again.locator('[name=code]').fill(codes[0]);
    await again.locator('main form button.primary').click();
    await settled(again);
    ok((await again.locator('main').innerText()).includes('This code is not right'));
  });
}

/** A new window in which the password was given, and the code is asked for. */
async function half(stage, server) {
  const window = await stage.window({ scripts: stage.variant.scripts });
  await visit(window, `${server.url}/login`);
  await window.getByLabel('E-mail').fill(MIA.email);
  await window.getByLabel('Password').fill(MIA.password);
  await window.getByRole('button', { name: 'Sign in' }).click();
  await window.locator('[name=code]').waitFor();
  await settled(window);
  return window;
}

async function enter(window, given) {
  await window.locator('[name=code]').fill(given);
  await window.locator('main form button.primary').click();
  await window.waitForURL((url) => !url.pathname.startsWith('/login'));
}

/** RFC 6238 with its usual choices: HMAC-SHA-1, six digits, half a minute. */
function code(secret, at) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP)));
  const hash = createHmac('sha1', key).update(counter).digest();
  const from = hash.at(-1) & 15;
  return String((hash.readUInt32BE(from) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
