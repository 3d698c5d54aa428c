/** The dashboard of the build, as `vibe-engine ui` starts it, and a real browser in front of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, launch } from '../../test/dashboard/browser/chromium.ts';
import type { Place } from '../engine/site.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/vibe-engine.js', import.meta.url));

export interface Server {
  /** With the key. */
  readonly address: string;
  /** From the start of the process until it had printed the address. */
  readonly started_ms: number;
  /** Seconds of CPU so far. */
  cpu(): number;
  /** Bytes of memory. */
  rss(): number;
  end(): Promise<void>;
}

type Served = Pick<Place, 'project_dir' | 'type' | 'url'>;

export async function serve({ project_dir, type, url }: Served): Promise<Server> {
  const began = performance.now();
  const child = spawn(process.execPath, [LAUNCHER, 'ui', '--no-open', '--port', '0'], {
    cwd: project_dir,
    env: {
      ...process.env,
      VIBE_ENGINE_PERSISTENCE_STORAGE_TYPE: type,
      ...(url === null ? {} : { VIBE_ENGINE_PERSISTENCE_URL: url }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  let said = '';
  while (!/http:\S+\s/.test(said)) said += String((await once(child.stdout, 'data'))[0]);
  const started_ms = performance.now() - began;
  const procfs = (name: string): string => readFileSync(`/proc/${child.pid}/${name}`, 'utf8');
  return {
    address: /http:\S+/.exec(said)![0],
    started_ms,
    cpu() {
      const fields = procfs('stat').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS;
    },
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(procfs('status'))![1]) * 1024,
    async end() {
      process.removeListener('exit', kill);
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}

/** Of a second, in /proc. */
const TICKS = 100;

let started: Promise<Browser> | undefined;

/** One browser for all figures; each measurement has a context of its own. */
export async function newContext(): Promise<BrowserContext> {
  started ??= findChromium().then((found) => {
    if ('path' in found) return launch(found);
    throw new Error(`no Chromium found (looked at ${found.looked_at.join(', ')}); set VIBE_ENGINE_CHROMIUM`);
  });
  return (await started).newContext({ locale: 'en-US', viewport: { width: 1280, height: 860 } });
}

/** A page in a context of its own, closed with it. */
export async function withPage<T>(address: string, look: (page: Page) => Promise<T>): Promise<T> {
  const context = await newContext();
  try {
    const page = await context.newPage();
    await page.goto(address);
    return await look(page);
  } finally {
    await context.close();
  }
}

/** Until it lets the page in. */
export function ready(page: Page): Promise<void> {
  return page.locator('main h1, main h2').first().waitFor();
}

/** Milliseconds in the page from going to an address in it until something is drawn. */
export function until(page: Page, hash: string, selector: string): Promise<number> {
  const look = ({ to, wanted }: { to: string; wanted: string }): Promise<number> =>
    new Promise((resolve) => {
      const began = performance.now();
      const check = (): void => {
        if (globalThis.document.querySelector(wanted)) resolve(performance.now() - began);
        else globalThis.requestAnimationFrame(check);
      };
      globalThis.location.hash = to;
      check();
    });
  return page.evaluate(look, { to: hash, wanted: selector });
}
