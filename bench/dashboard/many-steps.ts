/** A task of 100,000 steps in a real browser. */
import type { Page } from 'playwright-core';
import type { Measurement } from '../harness.ts';
import { ready, type Server, serve, until, withPage } from './served.ts';
import type { Recorded } from './timeline.ts';

export type OfManySteps = 'cold' | 'warm' | 'nodes' | 'heap' | 'end' | 'scroll' | 'rss';

/** Cold: with a server that has just been started. The others: once it has read the task. */
export async function manySteps({ id, site }: Recorded, figure: OfManySteps): Promise<Measurement> {
  const firstRows = (page: Page): Promise<number> =>
    until(page, `#/task/${id}`, '[role="option"] .step-name, [role="option"]:not(:empty) span');
  if (figure === 'cold' || figure === 'rss') {
    const measure = async (): Promise<number> => {
      const server = await serve(site);
      try {
        return await withPage(server.address, async (page) => {
          await ready(page);
          const before = server.rss();
          const took = await firstRows(page);
          return figure === 'cold' ? took : (server.rss() - before) / 1e6;
        });
      } finally {
        await server.end();
      }
    };
    return { measure, close: async () => {} };
  }
  const server: Server = await serve(site);
  const measure = (): Promise<number> =>
    withPage(server.address, async (page) => {
      await ready(page);
      const took = await firstRows(page);
      if (figure === 'warm') return took;
      if (figure === 'nodes') return page.locator('*').count();
      if (figure === 'heap') return (await page.evaluate(heap)) / 1e6;
      await page.locator('[role="listbox"]').focus();
      await page.keyboard.press('Home');
      await page.locator('[role="option"][aria-posinset="1"]').waitFor();
      return page.evaluate(figure === 'end' ? endKey : scrolling);
    });
  return { measure, close: () => server.end() };
}

/** In the page: its own memory. */
async function heap(): Promise<number> {
  return (performance as never as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize;
}

/** In the page: from the key until the last row is filled. */
function endKey(): Promise<number> {
  const { document, KeyboardEvent, requestAnimationFrame } = globalThis;
  return new Promise((resolve) => {
    const list = document.querySelector('[role="listbox"]')!;
    const began = performance.now();
    const look = (): void => {
      const rows = [...list.querySelectorAll('[role="option"]')];
      const last = rows.find((row) => row.getAttribute('aria-posinset') === row.getAttribute('aria-setsize'));
      if (last && /\d{3,}/.test(last.textContent ?? '')) resolve(performance.now() - began);
      else requestAnimationFrame(look);
    };
    list.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
    look();
  });
}

/** In the page: 300 frames over the whole list; the 95th percentile of the time between two. */
function scrolling(): Promise<number> {
  const { document, requestAnimationFrame } = globalThis;
  return new Promise((resolve) => {
    const list = document.querySelector('[role="listbox"]')!;
    const times: number[] = [];
    let before = performance.now();
    const FRAMES = 300;
    const step = (now: number): void => {
      times.push(now - before);
      before = now;
      if (times.length > FRAMES) {
        const sorted = times.slice(1).sort((a, b) => a - b);
        resolve(sorted[Math.floor(sorted.length * 0.95)]!);
        return;
      }
      list.scrollTop = (list.scrollHeight * times.length) / FRAMES;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}
