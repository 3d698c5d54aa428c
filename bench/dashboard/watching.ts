/** Tasks that run in another process, watched from this one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from '../../src/index.ts';
import { openAt, type Place, type Site } from '../engine/site.ts';
import type { Measurement } from '../harness.ts';

const STEPS = 60;
const IDLE_MS = 10_000;

/** Milliseconds, at this quantile. */
export async function untilSeen(site: Site, quantile: number): Promise<Measurement> {
  const engine = await openAt(site);
  const measure = async (): Promise<number> => {
    const other = await startElsewhere(site, 'steps');
    const late: number[] = [];
    for await (const { entries } of engine.reader.watchTask(other.id)) {
      const now = Date.now();
      for (const { entry } of entries)
        if (entry.t === 'step') late.push(now - (Date.parse(entry.at) + entry.ms));
      if (late.length >= STEPS) break;
    }
    other.end();
    // The first comes with what was there before.
    const sorted = late.slice(1).sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))]!;
  };
  return { measure, close: () => closeAll(engine, site) };
}

/** Per cent of one core. */
export async function idleShare(site: Site): Promise<Measurement> {
  const engine = await openAt(site);
  const quick = defineTask('quick', (task) => task.step('one', () => 1));
  for (let n = 0; n < 90; n++) await engine.run(quick, undefined);
  const other = await startElsewhere(site, 'waits');
  const ending = new AbortController();
  const watching = (async () => {
    for await (const _ of engine.reader.watchTasks({ signal: ending.signal }));
  })();
  await sleep(3000);
  const measure = async (): Promise<number> => {
    const before = process.cpuUsage();
    await sleep(IDLE_MS);
    const { user, system } = process.cpuUsage(before);
    return ((user + system) / 1000 / IDLE_MS) * 100;
  };
  const close = async (): Promise<void> => {
    other.end();
    ending.abort();
    await watching;
    await closeAll(engine, site);
  };
  return { measure, close };
}

async function closeAll(engine: Awaited<ReturnType<typeof openAt>>, site: Site): Promise<void> {
  await engine.close();
  await site.remove();
}

/** A process whose tasks make steps, or wait. */
export async function startElsewhere(
  { type, project_dir, url, files }: Place,
  what: 'steps' | 'waits',
): Promise<{ readonly id: string; end(): void }> {
  const place = { type, project_dir, url, files };
  const child = spawn(process.execPath, [new URL('working-child.ts', import.meta.url).pathname, what], {
    env: { ...process.env, BENCH_PLACE: JSON.stringify(place) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = (): void => {
    process.removeListener('exit', end);
    child.kill('SIGKILL');
  };
  process.once('exit', end);
  const [line] = await once(child.stdout, 'data');
  return { id: String(line).trim(), end };
}
