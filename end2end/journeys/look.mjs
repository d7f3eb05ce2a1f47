// Every page, as different people see it: axe finds nothing, nothing is cut off sideways, and each has its title.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { ANA, YUKI, candidates, makeAgent, makeKey, personKey, setUp } from '../actors.mjs';
import { axe, visit } from '../chromium.mjs';

export const title = 'Every page can be read by everybody';

const LOOKS = [
  { locale: 'en-US' },
  { locale: 'ja-JP', dark: true },
  { locale: 'zh-CN', width: 390, height: 844 },
  { locale: 'en-US', dark: true, width: 320, height: 640 },
];

export default async function (stage) {
  const server = await stage.keepsake();
  const mias = await stage.window();
  const paths = await stage.step('Mia fills an installation', () => fill(mias, server));
  const cookies = await mias.context().cookies();
  for (const look of LOOKS) {
    const said = `${look.locale}, ${look.dark ? 'dark' : 'light'}, ${look.width ?? 1440} px`;
    await stage.step(`${paths.length} pages, ${said}`, async () => {
      const page = await stage.window(look);
      await page.context().addCookies(cookies);
      const found = [];
      for (const path of paths) {
        const answer = await visit(page, server.url + path);
        equal(answer.status(), 200, path);
        ok(await page.title(), `${path} has no title`);
        equal(await page.evaluate(() => document.documentElement.lang.slice(0, 2)), look.locale.slice(0, 2), path);
        found.push(...(await axe(page)));
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (wider > 0) found.push(`${path}: ${wider} px wider than the window`);
      }
      deepEqual(found, []);
    });
  }
  await stage.step('the sign-in page, for a stranger', async () => {
    const page = await stage.window();
    await visit(page, `${server.url}/login`);
    deepEqual(await axe(page), []);
  });
}

/** Makes one of everything and gives the paths of all pages. */
export async function fill(page, server) {
  await setUp(page, server);
  await makeAgent(page, server, 'support');
  const agent = server.as(await makeKey(page, server, 'support'));
  const mia = await personKey(server);
  await agent.tell('ana', 'c-ana', ...ANA.map(({ says }) => says));
  await agent.tell('yuki', 'c-yuki', ...YUKI.map(({ says }) => says));
  const [preference, fact] = await candidates(mia, 'ana');
  const approved = await mia.post(`/candidates/${preference.id}/approve`, {});
  await mia.post(`/candidates/${fact.id}/approve`, { content: `${fact.content} (edited)`, note: 'as she said later' });
  const users = await mia.get('/users');
  const [waiting] = await candidates(mia, 'yuki');
  const user = users.data.find((one) => one.user_id === 'ana').id;
  const conversation = waiting.evidence[0].conversation;
  return ['/', '/review', `/candidates/${waiting.id}`, `/candidates/${preference.id}`, '/users', `/users/${user}`, '/memories',
    `/memories/${approved.memory}`, `/conversations/${conversation}`, '/agents', '/agents/support', '/help'];
}
