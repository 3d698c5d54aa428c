/**
 * `npm run picture -- dashboard`: a project with tasks of all kinds, served by the build, and its screens in a real browser as
 * docs/dashboard-*.png.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
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

async function take(address: string): Promise<void> {
  const found = await findChromium();
  if (!('path' in found)) throw new Error(`no Chromium found (looked at ${found.looked_at.join(', ')})`);
  // With the fonts of this machine.
  const { FONTCONFIG_PATH: _, ...env } = found.env as Record<string, string>;
  const browser = await launch({ path: found.path, env });
  const viewport = { width: 1280, height: 860 };
  const page = await browser.newPage({
    viewport,
    locale: 'en-US',
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await page.goto(address);
  await page.locator('.section.done .mini svg').first().waitFor();
  await keep(page, 'tasks');
  await page.getByRole('link', { name: 'import-catalogue' }).click();
  await page.locator('.thread .mark.kill').first().waitFor();
  await page.locator('.thread .mark.recovery').first().click();
  // The step that ran again lies two rows behind.
  for (const key of ['j', 'j']) await page.keyboard.press(key);
  await page.locator('.detail pre').waitFor();
  await keep(page, 'task');
  await page.keyboard.press('Escape');
  await page.goto(`${new URL(address).origin}/#/`);
  await page.getByRole('link', { name: 'fix-login-redirect' }).click();
  await page.getByRole('tab', { name: /Files/ }).click();
  await page.locator('.diff').first().waitFor();
  await keep(page, 'files');
  await page.getByRole('tab', { name: 'Steps' }).click();
  await page.getByRole('listbox').press('Home');
  for (const key of ['j', 'j']) await page.keyboard.press(key);
  await page.getByRole('link', { name: /Rewind/ }).click();
  await page.locator('.confirm-bar').waitFor();
  await keep(page, 'rewind');
  await browser.close();
}

async function keep(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(500); // What was fetched last is drawn.
  const path = fileURLToPath(new URL(`../docs/dashboard-${name}.png`, import.meta.url));
  await page.screenshot({ path });
  console.log(`${path}: ${Math.round(statSync(path).size / 1000)} kB`);
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
