/// <reference lib="dom" />
/** How every screen looks: to axe, at 360 pixels, to fingers; in each language, light and dark, without motion and colours. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { unlessFull } from '../../support/full.ts';
import { tempDirs } from '../../support/temp.ts';
import { inBrowser } from './browser.ts';
import { everyScreen, type ScreenShown, screensOf, show, type World } from './every-screen.ts';
import { audit, cutOrCovered, smallTargets, tooNearTheEdge } from './looks.ts';

const open = inBrowser();
const tempDir = tempDirs();

const LOCALES = ['en-US', 'zh-TW', 'zh-CN'] as const;
const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = [1280, 360] as const;

interface Case {
  readonly screen: ScreenShown;
  readonly width: (typeof WIDTHS)[number];
  readonly locale: (typeof LOCALES)[number];
  readonly scheme: (typeof SCHEMES)[number];
  /** Looked at by axe, which takes longer than all the rest. */
  readonly audited: boolean;
}

/** Each screen narrow, and by axe narrow or wide; language and theme take turns, so that each pair of them is met. */
function some(screens: readonly ScreenShown[]): Case[] {
  return screens.flatMap((screen, at) => {
    const locale = LOCALES[at % 3]!;
    const scheme = SCHEMES[(Math.floor(at / 3) + at) % 2]!;
    const narrow = { screen, width: 360, locale, scheme, audited: at % 2 === 0 } as const;
    return narrow.audited ? [narrow] : [narrow, { ...narrow, width: 1280, audited: true }];
  });
}

function all(screens: readonly ScreenShown[]): Case[] {
  return screens.flatMap((screen) =>
    LOCALES.flatMap((locale) =>
      SCHEMES.flatMap((scheme) => WIDTHS.map((width) => ({ screen, locale, scheme, width, audited: true }))),
    ),
  );
}

test('every screen: no violation, nothing undecided, nothing at the edge, nothing too small to hit', async () => {
  const { options, arrange } = everyScreen(tempDir());
  let world!: World;
  const { page, server, complaints } = await open({
    ...options,
    arrange: async (engine) => {
      world = await arrange(engine);
    },
  });
  const cases = unlessFull(some, all)(screensOf(world));
  const found: string[] = [];
  for (const locale of LOCALES) {
    const context = await page.context().browser()!.newContext({ locale, reducedMotion: 'reduce' });
    context.setDefaultTimeout(0);
    const own = await context.newPage();
    await own.goto(server.address);
    for (const one of cases.filter((other) => other.locale === locale)) {
      const { screen, scheme, width } = one;
      await own.emulateMedia({ colorScheme: scheme });
      await own.setViewportSize({ width, height: 800 });
      await show(own, screen);
      const wrong = await wrongWith(own, one);
      found.push(...wrong.map((what) => `${screen.name} ${locale} ${scheme} ${width}: ${what}`));
    }
    await context.close();
  }
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

/** Edges and targets where it is narrow. */
async function wrongWith(page: Page, { width, audited }: Case): Promise<string[]> {
  const found = [...(audited ? await audit(page) : []), ...(await cutOrCovered(page))];
  return width > 360 ? found : [...found, ...(await tooNearTheEdge(page)), ...(await smallTargets(page))];
}

test('nothing moves for those who want no motion; shapes and choices stay without colours', async () => {
  const slow = defineTask('slow', (task) => task.step('think', () => new Promise(() => {})));
  const { page, engine } = await open({ tasks: [slow], context: { reducedMotion: 'no-preference' } });
  const { id } = await engine.start(slow, undefined);
  await page.locator(`.section.running [data-task="${id}"]`).waitFor();
  const moving = (): Promise<number> =>
    page.evaluate('document.getAnimations().filter(({ playState }) => playState === "running").length');
  await expect.poll(moving).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect.poll(moving).toBe(0);

  await page.emulateMedia({ forcedColors: 'active' });
  await page.locator(`[data-task="${id}"] .name`).click();
  await page.getByRole('listbox').getByRole('option').first().click();
  // A box shadow or a background is not drawn then: what is chosen needs an edge, and a shape its lines.
  const edged = (selector: string): Promise<boolean> =>
    page
      .locator(selector)
      .first()
      .evaluate(hasEdge as never);
  expect(await edged('[role="tab"][aria-selected="true"]')).toBe(true);
  expect(await edged('[role="option"][aria-selected="true"]')).toBe(true);
  expect(
    await page
      .locator('.glyph')
      .first()
      .evaluate(isDrawn as never),
  ).toBe(true);
});

type Styled = Parameters<typeof getComputedStyle>[0];

function hasEdge(element: Styled): boolean {
  return [undefined, '::before', '::after'].some((part) => {
    const style = getComputedStyle(element, part);
    const sides = ['Top', 'Right', 'Bottom', 'Left'] as const;
    const borders = sides.some((side) => {
      const drawn =
        style[`border${side}Style`] !== 'none' && Number.parseFloat(style[`border${side}Width`]) > 0;
      return drawn && style[`border${side}Color`] !== style.backgroundColor;
    });
    const outline = style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0;
    return borders || outline || style.forcedColorAdjust === 'none';
  });
}

function isDrawn(element: Styled): boolean {
  return [element, ...element.querySelectorAll('*')].some((one) => {
    const { fill, stroke } = getComputedStyle(one);
    const back = getComputedStyle(one.ownerDocument.body).backgroundColor;
    return [fill, stroke].some((colour) => colour !== 'none' && colour !== back);
  });
}
