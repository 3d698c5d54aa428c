/// <reference lib="dom" />
/** How the page comes to its key, keeps its connection, and what it costs to open it. */
import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { inBrowser } from './browser.ts';

const open = inBrowser();
const asks = defineTask('asks', (task) => task.waitFor('user_input', { prompt: 'And now?' }));

test('a key that is pasted into an open tab is taken, and leaves address and history; other tabs get it, too', async () => {
  const { page, engine, server, serveAgain, tab } = await open({ tasks: [asks] });
  const { id } = await engine.start(asks, undefined);
  await page.locator(`[data-task="${id}"] .name`).click();
  await page.locator('.needs-card').getByText('And now?').waitFor();
  const other = await tab();
  await other.getByText('And now?').waitFor();
  await server.close();
  const again = await serveAgain();
  await page.getByText('This page has no key').waitFor();
  await other.getByText('This page has no key').waitFor();
  const pasted = page.waitForEvent('load');
  await page.evaluate((hash) => {
    location.hash = hash;
  }, new URL(again.address).hash);
  await pasted;
  await page.locator('.needs-card').getByText('And now?').waitFor();
  expect(page.url()).toContain(`#/task/${id}`);
  await page.goBack();
  await page.locator('.frame[data-live="true"]').waitFor();
  expect(page.url()).not.toContain('key');
  await other.getByText('And now?').waitFor();
});

test('without a key nothing is asked for; the tab comes to life once another one has it', async () => {
  const { page, server } = await open({ tasks: [asks] });
  await page.getByText('No tasks here yet').waitFor();
  const context = await page.context().browser()!.newContext({ locale: 'en-US' });
  try {
    const lone = await context.newPage();
    const asked: string[] = [];
    lone.on('request', (request) => asked.push(request.url()));
    await lone.goto(new URL('/', server.address).href);
    await lone.getByText('This page has no key').waitFor();
    expect(asked.filter((url) => url.includes('/api/'))).toEqual([]);
    const entered = await context.newPage();
    await entered.goto(server.address);
    await lone.getByText('No tasks here yet').waitFor();
  } finally {
    await context.close();
  }
});

test('a tab that nobody sees gives its stream back, and is told what it missed', async () => {
  const { page, engine } = await open({ tasks: [asks] });
  await page.getByText('No tasks here yet').waitFor();
  await page.locator('.frame[data-live="true"]').waitFor();
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/stream'));
  await show(page, false);
  await ended;
  await engine.start(asks, undefined);
  await show(page, true);
  await page.getByText('And now?').waitFor();
});

/** As the browser does when tabs change places; a browser without a screen sees all of them. */
async function show(page: Page, isSeen: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, !isSeen);
}

test('one page too many is told so, works, and follows as soon as there is room', async () => {
  const { page, server, engine, tab } = await open({ tasks: [asks] });
  await page.locator('.frame[data-live="true"]').waitFor();
  const origin = new URL(server.address).origin;
  const leave = new AbortController();
  for (let count = 1; count < 16; count += 1)
    await fetch(`${origin}/api/stream`, {
      headers: { authorization: `Bearer ${server.key}` },
      signal: leave.signal,
    });
  const last = await tab();
  await last.getByText('Too many pages are open').waitFor();
  await last.getByText('No tasks here yet').waitFor();
  leave.abort();
  await last.locator('.frame[data-live="true"]').waitFor();
  await engine.start(asks, undefined);
  await last.getByText('And now?').waitFor();
});

test('the first screen comes with four requests, compressed', async () => {
  const { page, server } = await open({ tasks: [asks] });
  await page.getByText('No tasks here yet').waitFor();
  await page.goto('about:blank'); // What the first load asked for is answered or given up by now.
  const answers: Response[] = [];
  page.on('response', (response) => answers.push(response));
  await page.goto(server.address);
  await page.getByText('No tasks here yet').waitFor();
  const files = answers.filter((one) => one.url().startsWith('http') && !one.url().includes('/api/'));
  const paths = files.map((one) => new URL(one.url()).pathname).toSorted();
  expect(paths).toEqual(['/', '/app.js', '/styles.css', '/text-en.json']);
  let bytes = 0;
  for (const file of files) {
    expect(await file.headerValue('content-encoding')).toBe('gzip');
    bytes += Number(await file.headerValue('content-length'));
  }
  expect(bytes).toBeLessThanOrEqual(36_000);
  const plain = await fetch(new URL('/app.js', server.address), { headers: { 'accept-encoding': 'br' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  const coded = await fetch(new URL('/app.js', server.address));
  expect(await coded.text()).toBe(await plain.text());
});
