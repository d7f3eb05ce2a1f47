// Debian's Chromium, driven by playwright-core, and axe on what it shows.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const RESULTS = join(import.meta.dirname, 'results');
mkdirSync(RESULTS, { recursive: true });

/** A person waits no longer than this for a page or an element. */
const PATIENCE = 10_000;

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export function launch() {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
  return chromium.launch({
    executablePath,
    // The first is needed as root; the others keep it from looking for hosts outside.
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  });
}

/** One person's browser window. `faults` collects what must never happen on any page: script errors, CSP violations. */
export async function openWindow(browser, { scripts = true, locale = 'en-US', dark = false, width = 1440, height = 900 } = {}) {
  const context = await browser.newContext({
    javaScriptEnabled: scripts,
    locale,
    timezoneId: 'UTC',
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    viewport: { width, height },
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(`script error on ${page.url()}: ${error.message}`));
  page.on('console', (message) => {
    // A 4xx that a journey provokes on purpose is reported by Chromium as an error of the console too.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(`console on ${page.url()}: ${message.text()}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} from ${response.url()}`);
  });
  return Object.assign(page, { faults, scripts });
}

/** Goes there and waits until the page can be used, which with scripts means hydrated. */
export async function visit(page, url) {
  const answer = await page.goto(url);
  await settled(page);
  return answer;
}

export async function settled(page) {
  await page.waitForLoadState('load');
  if (page.scripts) await page.waitForSelector('body[data-ready]');
}

/** What axe finds against WCAG 2.2 AA, one line each. Needs a page with scripts. */
export async function axe(page) {
  await page.evaluate(await axeSource());
  const found = await page.evaluate((tags) => globalThis.axe.run(document, { runOnly: { type: 'tag', values: tags } }), WCAG);
  return found.violations.flatMap((rule) =>
    rule.nodes.map((node) => `${new URL(page.url()).pathname}: ${rule.id}: ${node.target.join(' ')}: ${node.failureSummary.replace(/\s+/g, ' ')}`));
}

let source;
async function axeSource() {
  source ??= await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return source;
}
