// Plays journeys/*.mjs: each a story with named actors, once for each of its variants. Names given on the command line pick some.
//
// A journey exports `title`, `variants` (a list of plain objects, shown as they are) and a default function that is given the stage.

import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launch, openWindow, RESULTS } from './chromium.mjs';
import { Keepsake } from './keepsake.mjs';

class Stage {
  constructor(browser, variant) {
    this.browser = browser;
    this.variant = variant;
    this.pages = [];
    this.servers = [];
  }

  /** One step of the story: a line with its seconds. */
  async step(what, act) {
    const started = performance.now();
    this.at = what;
    const value = await act();
    console.log(`    ${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
    return value;
  }

  async keepsake(options) {
    const server = await Keepsake.start(options);
    this.servers.push(server);
    return server;
  }

  async window(options) {
    const page = await openWindow(this.browser, options);
    this.pages.push(page);
    return page;
  }

  async end() {
    const faults = this.pages.flatMap((page) => page.faults);
    for (const page of this.pages) await page.context().close();
    for (const server of this.servers) await server.stop();
    for (const server of this.servers) await server.remove();
    if (faults.length) throw new Error(`pages reported:\n${faults.join('\n')}`);
  }

  /** Everything one needs to see what went wrong, in the folder of the results. */
  async keep(name) {
    for (const [n, page] of this.pages.entries()) {
      console.log(`    page ${n + 1} was at ${page.url()}`);
      await page.screenshot({ path: join(RESULTS, `${name}-${n + 1}.png`), fullPage: true }).catch(() => {});
      await writeFile(join(RESULTS, `${name}-${n + 1}.html`), await page.content().catch(() => ''));
    }
    for (const server of this.servers) {
      await writeFile(join(RESULTS, `${name}.log`), server.log);
      console.log(server.log.split('\n').slice(-15).map((line) => `    log: ${line}`).join('\n'));
    }
  }
}

const wanted = process.argv.slice(2);
const files = (await readdir(join(import.meta.dirname, 'journeys'))).filter((file) => file.endsWith('.mjs')).sort();
const browser = await launch();
let stage;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    for (const server of stage?.servers ?? []) server.child?.kill('SIGKILL');
    await browser.close();
    process.exit(130);
  });
}

let passed = 0;
let failed = 0;
for (const file of files) {
  const name = file.replace('.mjs', '');
  if (wanted.length && !wanted.includes(name)) continue;
  const journey = await import(`./journeys/${file}`);
  for (const variant of journey.variants ?? [{}]) {
    const said = Object.entries(variant).map(([key, value]) => `${key} ${value === true ? 'on' : value === false ? 'off' : value}`).join(', ');
    console.log(`\n${journey.title}${said ? ` (${said})` : ''}`);
    stage = new Stage(browser, variant);
    try {
      await journey.default(stage);
      stage.at = 'the end';
      await stage.end();
      passed += 1;
      console.log('  passed');
    } catch (error) {
      failed += 1;
      console.log(`  FAILED at: ${stage.at}\n${String(error.stack ?? error).replace(/^/gm, '    ')}`);
      await stage.keep(`${name}-${Object.values(variant).join('-')}`);
      await stage.end().catch(() => {});
    }
  }
}
await browser.close();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
