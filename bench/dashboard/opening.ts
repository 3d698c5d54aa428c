/** How soon the dashboard is there: its address, its first paint, its list; and what that weighs. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineTask } from '../../src/index.ts';
import { openAt, type Site } from '../engine/site.ts';
import type { Measurement, Scratch } from '../harness.ts';
import { serve, withPage } from './served.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = join(ROOT, 'dist', 'page');

/** A working day: a few that wait, many that are done. */
async function populate(site: Site): Promise<void> {
  const engine = await openAt(site);
  const done = defineTask('done', (task) => task.step('one', () => 1));
  const asks = defineTask('asks', (task) => task.waitFor('human_approval', { prompt: 'Commit it?' }));
  for (let n = 0; n < 50; n++) await engine.run(done, undefined);
  for (let n = 0; n < 3; n++) {
    const { id } = await engine.start(asks, undefined);
    while ((await engine.state(id))?.status !== 'waiting') await new Promise((next) => setTimeout(next, 5));
  }
  await engine.close();
}

export async function untilAddress(site: Site): Promise<Measurement> {
  await populate(site);
  const measure = async (): Promise<number> => {
    const server = await serve(site);
    await server.end();
    return server.started_ms;
  };
  return { measure, close: site.remove };
}

type Opened = {
  readonly paint: number;
  readonly list: number;
  readonly requests: number;
  readonly bytes: number;
};

/** The first visit of a browser that has nothing in its cache. */
export async function opening(site: Site, figure: keyof Opened): Promise<Measurement> {
  await populate(site);
  const server = await serve(site);
  const look = async (): Promise<Opened> =>
    withPage(server.address, async (page) => {
      const list = await page.evaluate(listed);
      const { paint, requests, bytes } = await page.evaluate(painted);
      return { paint, list, requests, bytes };
    });
  const close = async (): Promise<void> => {
    await server.end();
    await site.remove();
  };
  return { measure: async () => (await look())[figure], close };
}

/** In the page: when the first task is drawn. */
export function listed(): Promise<number> {
  const { document, MutationObserver } = globalThis;
  return new Promise((resolve) => {
    const look = (): void => {
      if (!document.querySelector('article[data-task]')) return;
      watch.disconnect();
      resolve(performance.now());
    };
    const watch = new MutationObserver(look);
    watch.observe(document, { childList: true, subtree: true });
    look();
  });
}

/**
 * In the page: its files that came before there was something to see. `encodedBodySize` is what went over the wire. It does not
 * wait for what it asks about tasks.
 */
async function painted(): Promise<Omit<Opened, 'list'>> {
  // It may be drawn only after the list is in the document.
  const first = await new Promise<number>((resolve) => {
    const watch = new PerformanceObserver((seen) => {
      const [paint] = seen.getEntriesByName('first-contentful-paint');
      if (paint) resolve(paint.startTime);
    });
    watch.observe({ type: 'paint' as never, buffered: true });
  });
  const asked = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const before = (asked as never as { name: string; responseEnd: number; encodedBodySize: number }[]).filter(
    ({ name, responseEnd }) => !name.includes('/api/') && responseEnd > 0 && responseEnd <= first,
  );
  return {
    paint: first,
    requests: before.length,
    bytes: before.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
  };
}

const zipped = (path: string): number => gzipSync(readFileSync(path), { level: 9 }).length;

/** Everything that a visitor of all screens gets, in the language with the longest text. */
export async function wholePage(): Promise<Measurement> {
  const names = readdirSync(PAGE).filter((name) => /\.(?:html|js|css|svg|json)$/.test(name));
  const weigh = (isCounted: (name: string) => boolean): number =>
    names.filter(isCounted).reduce((sum, name) => sum + zipped(join(PAGE, name)), 0);
  const texts = ['en', 'zh-Hant', 'zh-Hans'].map((language) =>
    weigh((name) => name === `text-${language}.json` || name === `text-${language}-screens.json`),
  );
  const bytes = weigh((name) => !name.startsWith('text-')) + Math.max(...texts);
  return { measure: async () => bytes / 1000, close: async () => {} };
}

/** Packed, with the page and without it, in per cent. The server's own code is small beside it, and counted as the rest. */
export async function packageGrowth(scratch: Scratch): Promise<Measurement> {
  const [packed] = JSON.parse(
    spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' })
      .stdout,
  ) as [{ files: { path: string }[] }];
  const of = (paths: readonly string[]): number => {
    const file = scratch.fresh('pack');
    spawnSync('tar', ['-czf', file, '-C', ROOT, ...paths]);
    return statSync(file).size;
  };
  const paths = packed.files.map(({ path }) => path);
  const isOurs = (path: string): boolean => path.startsWith('dist/page/') || path.includes('dashboard');
  const growth = of(paths) / of(paths.filter((path) => !isOurs(path))) - 1;
  return { measure: async () => growth * 100, close: async () => {} };
}

const TURNS = 20;

/**
 * How much longer a command takes with the dashboard in the package than in a copy without the page and without its text, in
 * milliseconds of the quicker runs.
 */
export function otherCommands(scratch: Scratch): Measurement {
  const [whole, without] = ['whole', 'without'].map((name) => copyAt(scratch.fresh(name))) as [
    string,
    string,
  ];
  rmSync(join(without, 'dist', 'page'), { recursive: true });
  const said = /(["'`])page\.[\w.]+\1:\s*(["'`])(?:\\.|(?!\2)[^\\])*\2,?/g;
  let removed = 0;
  for (const name of readdirSync(join(without, 'dist')).filter((one) => one.endsWith('.js'))) {
    const path = join(without, 'dist', name);
    const text = readFileSync(path, 'utf8');
    const rest = text.replace(said, '');
    removed += text.length - rest.length;
    if (rest !== text) writeFileSync(path, rest);
  }
  if (removed === 0) throw new Error('The text of the page was not found in the build.');
  const measure = async (): Promise<number> => {
    const took: [number[], number[]] = [[], []];
    for (let turn = 0; turn < TURNS; turn++)
      for (const at of turn % 2 === 0 ? [0, 1] : [1, 0]) took[at]!.push(await timeOf([whole, without][at]!));
    const quick = (all: number[]): number => all.toSorted((a, b) => a - b)[TURNS >> 2]!;
    return Math.max(0, quick(took[0]) - quick(took[1]));
  };
  return { measure, close: async () => {} };
}

function copyAt(dir: string): string {
  mkdirSync(dir, { recursive: true });
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, name), join(dir, name), { recursive: true });
  cpSync(join(ROOT, 'node_modules', 'zod'), join(dir, 'node_modules', 'zod'), { recursive: true });
  return dir;
}

async function timeOf(dir: string): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [join(dir, 'bin', 'vibe-engine.js'), 'tasks', '--json'], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`tasks ended with ${code}.`);
  return performance.now() - began;
}
