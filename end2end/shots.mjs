// The screenshots of docs/screenshots: every page, from a server that was filled as in the journey `look`. Words on the command
// line pick pages by the name of their picture.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, openWindow, visit } from './chromium.mjs';
import { fill } from './journeys/look.mjs';
import { Keepsake } from './keepsake.mjs';

const FOLDER = join(import.meta.dirname, '../docs/screenshots');
const LOOKS = {
  desktop: {},
  dark: { dark: true },
  japanese: { locale: 'ja-JP' },
  phone: { width: 390, height: 844 },
};

/** `/users/usr_…/context` is the context of a user. */
const PARTS = new Set(['context']);

/** `/admin/people/per_…` is a person, `/account/keys` the keys of an account. */
const NAMED = { people: 'person', keys: 'keys', digest: 'digest', bulk: 'bulk-all' };

mkdirSync(FOLDER, { recursive: true });
const wanted = process.argv.slice(2);
const server = await Keepsake.start();
const browser = await launch();
try {
  const page = await openWindow(browser);
  const paths = await fill(page, server);
  const cookies = await page.context().cookies();
  for (const [look, options] of Object.entries(LOOKS)) {
    const window = await openWindow(browser, options);
    await window.context().addCookies(cookies);
    const taken = new Set();
    for (const path of paths) {
      const name = picture(path);
      if (taken.has(name)) continue;
      taken.add(name);
      if (wanted.length && !wanted.includes(name)) continue;
      await visit(window, server.url + path);
      await window.screenshot({ path: join(FOLDER, `${name}-${look}.png`) });
    }
    await window.context().close();
  }
} finally {
  await browser.close();
  await server.stop();
  await server.remove();
}

/** `/users/usr_…` is a user, `/users` are the users, `/agents/support/kinds/…` a kind; a part of a page has its own name. */
function picture(path) {
  const part = path.split('#')[1];
  if (part) return part;
  const [first, second, third, fourth] = path.split('?')[0].split('/').slice(1);
  if (PARTS.has(third)) return third;
  if (NAMED[second]) return NAMED[second];
  if (third) return fourth === 'new' ? `${third.replace(/s$/, '')}-new` : third.replace(/s$/, '');
  return second ? first.replace(/ies$/, 'y').replace(/s$/, '') : first || 'overview';
}
