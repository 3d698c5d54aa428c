/** What the page shows of others' work, how soon, and what an idle server costs; in a real browser. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from '../../src/index.ts';
import { openAt, type Site } from '../engine/site.ts';
import type { Measurement } from '../harness.ts';
import { newContext, serve, until, withPage } from './served.ts';
import { startElsewhere } from './watching.ts';

const STEPS = 60;
const IDLE_MS = 10_000;

/** Milliseconds from the end of a step's function in another process until its row is in the page, at this quantile. */
export async function untilShown(site: Site, quantile: number): Promise<Measurement> {
  const engine = await openAt(site);
  const server = await serve(site);
  const measure = async (): Promise<number> => {
    const other = await startElsewhere(site, 'steps');
    try {
      const shown = await withPage(server.address, async (page) => {
        await until(page, `#/task/${other.id}`, '[role="option"]');
        return page.evaluate(timesOfRows, STEPS);
      });
      const ended = new Map<number, number>();
      for (const { seq, at, ms } of (await engine.reader.timeline(other.id, { limit: 10_000 })).rows)
        ended.set(seq, Date.parse(at) + (ms ?? 0));
      const rows = (await engine.reader.timeline(other.id, { limit: 10_000 })).rows;
      const late = shown.flatMap(({ place, at }) => {
        const row = rows[place - 1];
        return row?.kind === 'step' ? [at - ended.get(row.seq)!] : [];
      });
      const sorted = late.sort((a, b) => a - b);
      return sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))]!;
    } finally {
      other.end();
    }
  };
  const close = async (): Promise<void> => {
    await server.end();
    await engine.close();
    await site.remove();
  };
  return { measure, close };
}

interface Shown {
  readonly place: number;
  readonly at: number;
}

/** In the page: when each new row was drawn, by the clock. What was there before does not count. */
function timesOfRows(count: number): Promise<Shown[]> {
  const { document } = globalThis;
  return new Promise((resolve) => {
    const places = (): number[] =>
      [...document.querySelectorAll('[role="option"]')].map((row) =>
        Number(row.getAttribute('aria-posinset')),
      );
    const known = new Set(places());
    const shown: Shown[] = [];
    const look = (): void => {
      for (const place of places()) {
        if (known.has(place)) continue;
        known.add(place);
        shown.push({ place, at: Date.now() });
      }
      if (shown.length < count) return;
      watch.disconnect();
      resolve(shown);
    };
    const watch = new MutationObserver(look);
    watch.observe(document.body, { childList: true, subtree: true });
  });
}

/** Per cent of one core that the server takes while a page is open and nothing happens. */
export async function idleServer(site: Site): Promise<Measurement> {
  const engine = await openAt(site);
  const quick = defineTask('quick', (task) => task.step('one', () => 1));
  for (let n = 0; n < 90; n++) await engine.run(quick, undefined);
  await engine.close();
  const other = await startElsewhere(site, 'waits');
  const server = await serve(site);
  const context = await newContext();
  await (await context.newPage()).goto(server.address);
  await sleep(5000);
  const measure = async (): Promise<number> => {
    const before = server.cpu();
    await sleep(IDLE_MS);
    return ((server.cpu() - before) / (IDLE_MS / 1000)) * 100;
  };
  const close = async (): Promise<void> => {
    await context.close();
    await server.end();
    other.end();
    await site.remove();
  };
  return { measure, close };
}
