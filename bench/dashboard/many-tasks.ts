/** 10,000 tasks on the page. */
import type { Site } from '../engine/site.ts';
import type { Measurement } from '../harness.ts';
import { fill, queued } from './listing.ts';
import { listed } from './opening.ts';
import { newContext, serve, withPage } from './served.ts';

/** Milliseconds from the navigation until tasks are listed; the server knows them. */
export async function listShown(site: Site): Promise<Measurement> {
  await (await fill(site)).close();
  const server = await serve(site);
  const measure = (): Promise<number> =>
    withPage(server.address, async (page) => {
      return page.evaluate(listed);
    });
  const close = async (): Promise<void> => {
    await server.end();
    await site.remove();
  };
  return { measure, close };
}

/** Milliseconds from a task being queued elsewhere until its row is on the page, among 10,000. */
export async function changeShown(site: Site): Promise<Measurement> {
  const engine = await fill(site);
  const server = await serve(site);
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(server.address);
  await page.locator('article[data-task]').first().waitFor();
  const measure = async (): Promise<number> => {
    const id = await engine.enqueue(queued, undefined);
    const began = performance.now();
    await page.locator(`[data-task="${id}"]`).waitFor();
    return performance.now() - began;
  };
  const close = async (): Promise<void> => {
    await context.close();
    await server.end();
    await engine.close();
    await site.remove();
  };
  return { measure, close };
}
