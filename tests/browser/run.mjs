// Runs a script in a Chromium without a window:
//
//     node tests/browser/run.mjs SCRIPT.mjs BASE ARGUMENTS
//
// The script's default export is called with what it needs (see `given` below) and its result is
// printed as one line of JSON. What a page logs as an error, and what it fails to load, is part of
// `faults`: a page that is well has none.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1100, height: 800 };
const [script, base, told] = process.argv.slice(2);
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
  ],
});
const faults = [];

/** A page looks for news every few seconds; here several times as often, so that tests wait less. */
function hurry() {
  const wait = globalThis.setTimeout;
  globalThis.setTimeout = (work, time, ...given) =>
    wait(work, time >= 1000 && time <= 5000 ? time / 5 : time, ...given);
}

/** Opens a tab of its own: `colours` is light or dark, without `script` no JavaScript runs. */
async function tab({ size = DESKTOP, colours = 'light', script = true } = {}) {
  const context = await browser.newContext({
    baseURL: base, viewport: size, colorScheme: colours, javaScriptEnabled: script,
  });
  await context.addInitScript(hurry);
  const page = await context.newPage();
  page.on('console', (message) => {
    // What a page itself is answered with is the test's business, see `response` for the rest.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) faults.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.request().isNavigationRequest()) {
      faults.push(`${response.url()} is answered with ${response.status()}`);
    }
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('requestfailed', (request) => faults.push(`${request.url()} was not loaded`));
  return page;
}

/** Returns what axe finds wrong on a page, one line for each element. */
async function axe(page) {
  await page.evaluate(axeSource); // past the page's policy, as a tool of the browser
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)}`));
}

/** Returns whether everything fits into the width of the window. */
const fits = (page) => page.evaluate(
  () => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

try {
  const { default: run } = await import(pathToFileURL(script));
  const given = { browser, tab, axe, fits, faults, base, PHONE, DESKTOP, told: JSON.parse(told) };
  const result = await run(given);
  console.log(JSON.stringify({ result, faults }));
} finally {
  await browser.close();
}
