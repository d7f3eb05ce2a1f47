// What people print, as PDF in A4: the sheet of a decision, and the report of an export. From a server that was filled as in the
// journey `look`, in three languages.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { personKey } from './actors.mjs';
import { launch, openWindow, visit } from './chromium.mjs';
import { exported, fill } from './journeys/look.mjs';
import { Keepsake } from './keepsake.mjs';

const FOLDER = join(import.meta.dirname, '../target/prints');
const LANGUAGES = { en: 'en-US', ja: 'ja-JP', zh: 'zh-CN' };

mkdirSync(FOLDER, { recursive: true });
const server = await Keepsake.start();
const browser = await launch();
try {
  const page = await openWindow(browser);
  const paths = await fill(page, server);
  const sheet = paths.find((path) => path.endsWith('/sheet'));
  const cookies = await page.context().cookies();
  const mia = await personKey(server);
  for (const [language, locale] of Object.entries(LANGUAGES)) {
    const window = await openWindow(browser, { locale });
    await window.context().addCookies(cookies);
    await visit(window, server.url + sheet);
    await print(window, `sheet-${language}`);
    const folder = await report(mia, language);
    await window.goto(pathToFileURL(join(folder, 'report.html')).href);
    await print(window, `report-${language}`);
    await rm(folder, { recursive: true });
    await window.context().close();
  }
} finally {
  await browser.close();
  await server.stop();
  await server.remove();
}

function print(page, name) {
  return page.pdf({ path: join(FOLDER, `${name}.pdf`), format: 'A4' });
}

/** An unpacked export about ana; its report is in this language. */
async function report(mia, language) {
  const { id } = await exported(mia, { user_id: 'ana', language });
  const answer = await fetch(`${mia.base}/exports/${id}/file`, { headers: { authorization: `Bearer ${mia.key}` } });
  if (!answer.ok) throw new Error(`the file of ${id}: ${answer.status}`);
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-print-'));
  const file = join(folder, 'export.zip');
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  execFileSync('python3', ['-m', 'zipfile', '-e', file, folder]);
  return folder;
}
