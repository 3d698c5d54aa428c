/// <reference lib="dom" />
/** What is wrong with how a page looks: to readers, at its edges, to fingers. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What axe finds, and what it could not decide: `rule: element`. What lies behind an open dialog can neither be reached nor read
 * meanwhile, and axe would take it for the dialog's background.
 */
export async function audit(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: typeof axe }).axe;
    const { document } = globalThis;
    /** A dialog that is still rising has no opacity yet, and axe sees none. */
    const ending = document
      .getAnimations()
      .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map((one) => one.finished));
    const dialogs = [...document.querySelectorAll<HTMLElement>('dialog[open]')];
    const dialog = dialogs.at(-1);
    const behind = dialog
      ? [...document.querySelectorAll<HTMLElement>('header, main'), ...dialogs.slice(0, -1)]
      : [];
    dialog?.style.setProperty('visibility', 'visible');
    for (const one of behind) one.style.setProperty('visibility', 'hidden');
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations, incomplete } = await run.run({ runOnly: { type: 'tag', values: tags } });
    for (const one of behind) one.style.removeProperty('visibility');
    /** Text in a drawing has no background of its own, and axe does not look for the one behind it. */
    const channels = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const light = (colour: string): number => {
      const [r, g, b] = channels(colour).map((one) => {
        const part = one / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    };
    const behindOf = (element: Element | null): string => {
      if (element === null) return 'rgb(255, 255, 255)';
      const { backgroundColor } = getComputedStyle(element);
      return channels(backgroundColor)[3] === 0 ? behindOf(element.parentElement) : backgroundColor;
    };
    const isReadable = (element: Element | null): boolean => {
      if (!(element instanceof SVGTextElement)) return false;
      const [a, b] = [light(getComputedStyle(element).fill), light(behindOf(element))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) >= 4.5;
    };
    const undecided = incomplete.map(({ id, nodes }) => ({
      id,
      nodes: nodes.filter(
        ({ target }) => id !== 'color-contrast' || !isReadable(document.querySelector(target.join(' '))),
      ),
    }));
    return [...violations, ...undecided].flatMap(({ id, nodes }) =>
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

/** Lines of a narrow box that go on beyond its edge, and texts of a drawing that lie over each other. */
export function cutOrCovered(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { document } = globalThis;
    const cut = [...document.querySelectorAll(':is(.column, .asked-file) .diff-line > span:last-child')]
      .filter(
        (one) => one.getBoundingClientRect().right > one.closest('.diffs')!.getBoundingClientRect().right,
      )
      .map((one) => `cut: ${one.textContent}`);
    const texts = [...document.querySelectorAll('.thread text')].map((one) => ({
      box: one.getBoundingClientRect(),
      text: one.textContent,
    }));
    const covered = texts.flatMap(({ box, text }, at) =>
      texts
        .slice(at + 1)
        .filter(({ box: other }) => box.left < other.right && other.left < box.right)
        .filter(({ box: other }) => box.top < other.bottom && other.top < box.bottom)
        .map((other) => `over each other: ${text}, ${other.text}`),
    );
    return [...cut, ...covered];
  });
}

/** What a finger could miss. Links within sentences are as high as their line; a row is one target as a whole. */
export function smallTargets(page: Page, px = 44): Promise<string[]> {
  const look = (targets: readonly Box[], least: number) =>
    targets.flatMap((one) => {
      const whole = one.closest(one.closest('.task-row .name') ? '.task-row' : 'label.choice') ?? one;
      const { width, height } = whole.getBoundingClientRect();
      if (width === 0 || one.matches('.skip') || one.closest('.lines, .prose')) return [];
      if (Math.round(width) >= least && Math.round(height) >= least) return [];
      return [`${one.tagName} ${one.className} ${Math.round(width)}×${Math.round(height)}`];
    });
  return page.locator('button, a[href], input, select, [role=option]').evaluateAll(look as never, px);
}
