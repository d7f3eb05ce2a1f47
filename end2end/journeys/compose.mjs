// Whoever writes with an input method is left in peace: no key of theirs decides, moves or sends anything.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { candidates, makeAgent, makeKey, personKey, setUp } from '../actors.mjs';
import { visit } from '../chromium.mjs';

export const title = 'Aiko and Li write Japanese and Chinese into every field of the desk';

/** What is typed, step by step, and what it becomes. */
const WORDS = [
  { language: 'Japanese', steps: ['k', 'か', 'かn', 'かん', 'かんじ'], word: '漢字' },
  { language: 'Chinese', steps: ['n', 'ni', 'ni h', 'ni hao'], word: '你好' },
];

/** Every key that would do something, and those that would send or leave the form. */
const KEYS = ['j', 'k', 'a', 'e', 'm', 'r', '1', '2', 'x', 's', 'c', 'u', 'd', 'v', 'f', 'n', 'g', 'o', 'q', '?', '/', 'Enter', 'Escape', ' '];

export default async function (stage) {
  const server = await stage.keepsake();
  const page = await stage.window();
  await setUp(page, server);
  await makeAgent(page, server, 'support');
  const agent = server.as(await makeKey(page, server, 'support'));
  const mia = await personKey(server);
  for (const wish of ['tea', 'coffee', 'water']) await agent.post('/candidates', { user_id: 'bo', kind: 'preference', content: `User prefers ${wish}` });
  const cdp = await page.context().newCDPSession(page);

  for (const { language, steps, word } of WORDS) {
    for (const [opens, what] of [['e', 'the form that edits'], ['r', 'the reasons to reject'], ['f', 'the filters']]) {
      await stage.step(`${language} in ${what}`, async () => {
        await visit(page, `${server.url}/review`);
        await page.keyboard.press(opens);
        const fields = page.locator('#candidate details[open] :is(textarea, input[type=text]), .filters details[open] :is(input[type=search], input[type=text])');
        const sent = [];
        const note = (request) => { if (request.method() === 'POST' && !request.url().endsWith('/claim')) sent.push(request.url()); };
        page.on('request', note);
        const count = await fields.count();
        ok(count > 0, `no field in ${what}`);
        for (let n = 0; n < count; n += 1) {
          const field = fields.nth(n);
          if (!(await field.isVisible())) continue;
          await field.focus();
          const before = await field.inputValue();
          const at = page.url();
          await compose(page, cdp, steps);
          await keysWhileComposing(page);
          await chooses(cdp);
          equal(page.url(), at);
          await cdp.send('Input.insertText', { text: word });
          equal(await field.inputValue(), before + word);
          ok(await field.evaluate((one) => one === document.activeElement), 'the focus left the field');
        }
        page.off('request', note);
        deepEqual(sent, []);
        equal((await candidates(mia, 'bo')).length, 3);
        equal(await page.locator('dialog[open]').count(), 0);
      });
    }
    await stage.step(`${language} in the fields of other pages`, async () => {
      const user = (await mia.get('/users')).data[0].id;
      const paths = ['/review', '/users', `/users/${user}`, `/users/${user}/context`, '/memories', '/agents', '/agents/support', '/agents/support/kinds/new',
        '/agents/support/schemas/new', '/agents/support/dry-runs', '/audit', '/exports', '/requests', '/holds', '/admin', '/webhooks', '/decisions', '/account'];
      let written = 0;
      for (const path of paths) {
        equal((await visit(page, server.url + path)).status(), 200, path);
        const sent = [];
        const note = (request) => { if (request.method() === 'POST' || request.isNavigationRequest()) sent.push(request.url()); };
        page.on('request', note);
        await page.evaluate(() => document.querySelectorAll('main details').forEach((one) => { one.open = true; }));
        const fields = page.locator('main :is(textarea, input:not([type]), input[type=text], input[type=search]):visible');
        for (const field of await fields.all()) {
          const before = await field.inputValue();
          await field.focus();
          await compose(page, cdp, steps);
          await keysWhileComposing(page);
          await chooses(cdp);
          await cdp.send('Input.insertText', { text: word });
          const what = `${path}: ${await field.getAttribute('name')}`;
          equal(await field.inputValue(), before + word, what);
          ok(await field.evaluate((one) => one === document.activeElement), what);
          written += 1;
        }
        page.off('request', note);
        deepEqual(sent, []);
        equal(await page.locator('dialog[open]').count(), 0, path);
      }
      console.log(`      ${written} fields`);
      equal((await candidates(mia, 'bo')).length, 3);
    });
    await stage.step(`${language} in the palette`, async () => {
      await visit(page, `${server.url}/review`);
      await page.keyboard.press('Control+K');
      const field = page.getByRole('combobox');
      await compose(page, cdp, steps);
      await keysWhileComposing(page, ['Enter', 'ArrowDown', 'ArrowUp', 'j', 'a']);
      await cdp.send('Input.insertText', { text: word });
      equal(await field.inputValue(), word);
      ok(await page.locator('#palette').evaluate((dialog) => dialog.open), 'Enter of the input method pressed something');
      equal((await candidates(mia, 'bo')).length, 3);
    });
  }
}

/** Composes at the caret as an input method does; the last step stays open until the word is inserted. */
async function compose(page, cdp, steps) {
  await page.evaluate(() => {
    const field = document.activeElement;
    if (field.setSelectionRange) field.setSelectionRange(field.value.length, field.value.length);
  });
  for (const text of steps) await cdp.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
}

/** Enter as the input method takes it to choose a word: a key of the browser itself, which would send a form if the page let it. */
async function chooses(cdp) {
  for (const type of ['rawKeyDown', 'keyUp']) {
    await cdp.send('Input.dispatchKeyEvent', { type, key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229, nativeVirtualKeyCode: 229 });
  }
}

/** Browsers tell of a key of an input method in two ways. */
async function keysWhileComposing(page, keys = KEYS) {
  await page.evaluate((all) => {
    const send = (init) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }));
    for (const key of all) {
      if (!send({ key, isComposing: true })) throw new Error(`${key} was taken while composing`);
      if (!send({ key: 'Process', keyCode: 229 })) throw new Error('a key of an input method was taken');
      if (!send({ key, keyCode: 229 })) throw new Error(`${key} was taken from an input method`);
    }
  }, keys);
}
