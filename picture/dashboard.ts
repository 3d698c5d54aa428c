/**
 * `npm run picture -- dashboard`: a project with tasks of all kinds, served by the build, and its screens in a real browser as
 * docs/dashboard-*.png.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium, launch } from '../test/dashboard/browser/chromium.ts';
import { makeProject } from './dashboard/project.ts';

const MAIN = fileURLToPath(new URL('../bin/vibe-engine.js', import.meta.url));

export async function dashboard(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 've-picture-'));
  const dir = join(root, 'web-shop');
  const { running } = await makeProject(dir);
  const server = spawn(process.execPath, [MAIN, 'ui', '--no-open', '--port', '0'], { cwd: dir });
  try {
    await take(await addressOf(server));
  } finally {
    for (const child of [server, ...running]) child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  }
}

type Taking = (page: Page) => Promise<void>;

async function take(address: string): Promise<void> {
  const found = await findChromium();
  if (!('path' in found)) throw new Error(`no Chromium found (looked at ${found.looked_at.join(', ')})`);
  // With the fonts of this machine.
  const { FONTCONFIG_PATH: _, ...env } = found.env as Record<string, string>;
  const browser = await launch({ path: found.path, env });
  const wide = { viewport: { width: 1280, height: 860 } };
  const narrow = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 };
  await one(browser, address, 'tasks', tasks, wide);
  await one(browser, address, 'task', task, wide);
  await one(browser, address, 'files', files, wide);
  await one(browser, address, 'rewind', rewind, wide);
  await one(browser, address, 'compare', compare, wide);
  await one(browser, address, 'conflict', conflict, wide);
  await one(browser, address, 'drift', drift, wide);
  await one(browser, address, 'clean-up', cleanUp, wide);
  await one(browser, address, 'phone', tasks, narrow);
  await one(browser, address, 'dark', task, { ...wide, colorScheme: 'dark' });
  await browser.close();
}

async function one(
  browser: Browser,
  address: string,
  name: string,
  taking: Taking,
  context: BrowserContextOptions,
): Promise<void> {
  const page = await browser.newPage({
    ...{ locale: 'en-US', colorScheme: 'light', reducedMotion: 'reduce' },
    ...context,
  });
  await page.goto(address);
  await taking(page);
  await page.waitForTimeout(500); // What was fetched last is drawn.
  const path = fileURLToPath(new URL(`../docs/dashboard-${name}.png`, import.meta.url));
  await page.screenshot({ path });
  console.log(`${path}: ${Math.round(statSync(path).size / 1000)} kB`);
  await page.context().close();
}

const tasks: Taking = async (page) => {
  await page.locator('article[data-task] .mini svg').first().waitFor();
  await page.waitForTimeout(1000);
};

const task: Taking = async (page) => {
  await named(page, 'import-catalogue');
  await page.locator('.thread .mark.kill').first().waitFor();
  await page.locator('.thread .mark.recovery').first().click();
  // The step that ran again lies two rows behind.
  for (const key of ['j', 'j']) await page.keyboard.press(key);
  await page.locator('.detail .why-again').waitFor();
};

const files: Taking = async (page) => {
  await named(page, 'fix-login-redirect');
  await page.getByRole('tab', { name: /Files/ }).click();
  await page.locator('.diff').first().waitFor();
};

const rewind: Taking = async (page) => {
  await named(page, 'fix-login-redirect');
  await page.getByRole('listbox').press('Home');
  for (const key of ['j', 'j']) await page.keyboard.press(key);
  await page.getByRole('link', { name: /Rewind/ }).click();
  await page.locator('.confirm-bar').waitFor();
};

const compare: Taking = async (page) => {
  await named(page, 'speed-up-search');
  await page.getByRole('tab', { name: 'About' }).click();
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.locator('.side').first().waitFor();
  const differing = page.getByRole('button', { name: /search-fast/ });
  if (await differing.count()) await differing.first().click();
};

const conflict: Taking = async (page) => {
  await page.getByRole('link', { name: 'Resolve' }).click();
  await page.locator('[data-place]').first().waitFor();
  await page.keyboard.press('1');
};

const drift: Taking = async (page) => {
  await named(page, 'fix-login-redirect');
  await page.getByRole('tab', { name: 'Drift' }).click();
  await page.getByRole('button', { name: 'Check now' }).click();
  await page
    .getByText(/behind origin/)
    .first()
    .waitFor();
};

const cleanUp: Taking = async (page) => {
  await page.locator('article[data-task]').first().waitFor();
  await page.evaluate("location.hash = '#/care'");
  await page.getByRole('button', { name: 'Of completed tasks' }).click();
  await page.locator('.table tbody tr').first().waitFor();
};

/** Of the list, by its name. */
async function named(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).first().click();
  await page.locator('.thread svg').first().waitFor();
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stdout!.on('data', (text) => {
      said += text;
      const found = /http:\/\/\S+/.exec(said);
      if (found) resolve(found[0]);
    });
    server.on('exit', () => reject(new Error(said)));
  });
}
