/** What is wrong with how a page looks: to readers, at its edges, to fingers. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds, and what it could not decide: `rule: element`. */
export async function audit(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: typeof axe }).axe;
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations, incomplete } = await run.run({ runOnly: { type: 'tag', values: tags } });
    return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
      nodes.map(({ target, any }) => `${id}: ${target.join(' ')} ${any[0]?.message ?? ''}`),
    );
  });
}

/** An element, as far as it is looked at. */
interface Box {
  readonly tagName: string;
  readonly className: unknown;
  getBoundingClientRect(): { left: number; right: number; width: number; height: number };
  closest(selector: string): Box | null;
  matches(selector: string): boolean;
}

const SHOWN = 'button, a, input, select, textarea, h1, h2, h3, p, code, .tag, .glyph, .state, svg[role=img]';

/** Boxes nearer to the left or right edge than this; what is scrolled sideways has no edge of its own. */
export function tooNearTheEdge(page: Page, px = 8): Promise<string[]> {
  const look = (boxes: readonly Box[], { least, width }: { least: number; width: number }) =>
    boxes.flatMap((box) => {
      const { left, right, width: wide, height } = box.getBoundingClientRect();
      if (wide === 0 || height === 0 || box.matches('.banner')) return [];
      if (box.closest('.tabs, .thread-scroll, .diff, .seen-by-readers, .skip, pre')) return [];
      if (left >= least && right <= width - least) return [];
      return [`${box.tagName} ${box.className} ${Math.round(left)}…${Math.round(right)}`];
    });
  return page.locator(SHOWN).evaluateAll(look as never, { least: px, width: page.viewportSize()!.width });
}

/** What a finger could miss. Links within sentences are as high as their line; a row is one target as a whole. */
export function smallTargets(page: Page, px = 44): Promise<string[]> {
  const look = (targets: readonly Box[], least: number) =>
    targets.flatMap((one) => {
      const whole = one.closest('.task-row .name') ? one.closest('.task-row')! : one;
      const { width, height } = whole.getBoundingClientRect();
      if (width === 0 || one.matches('.skip') || one.closest('.lines, .prose')) return [];
      if (Math.round(width) >= least && Math.round(height) >= least) return [];
      return [`${one.tagName} ${one.className} ${Math.round(width)}×${Math.round(height)}`];
    });
  return page.locator('button, a[href], input, select, [role=option]').evaluateAll(look as never, px);
}
