/** How the list of tasks and a task look: to axe, at 360 pixels, to fingers; in each language, light and dark. */
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { untilStatus } from '../../engine/letters.ts';
import { inBrowser } from './browser.ts';
import { audit, smallTargets, tooNearTheEdge } from './looks.ts';

const open = inBrowser();
const asks = defineTask('fix-login-redirect', async (task) => {
  await task.message('user', 'Fix the redirect.');
  await Promise.all(
    ['coder', 'writer'].map((name) => task.agent(name, (agent) => agent.step('think', () => name))),
  );
  await task.step('run the tests', () => 'ok');
  return task.waitFor('human_approval', { prompt: 'Tests pass. Commit the fix?' });
});
const fails = defineTask('upgrade-payment-client', async (task) => {
  await task.step('run the tests', () => Promise.reject(new TypeError('client.charge is not a function')), {
    retry: { attempts: 2, first_delay_ms: 1 },
  });
});

const LOCALES = { en: 'en-US', 'zh-Hant': 'zh-TW', 'zh-Hans': 'zh-CN' } as const;
const CASES = Object.values(LOCALES).flatMap((locale) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [360, 1280].map((width) => ({ locale, colorScheme, width })),
  ),
);

test.each(CASES)('$locale $colorScheme $width', async ({ locale, colorScheme, width }) => {
  let id = '';
  const { page, complaints } = await open({
    tasks: [asks, fails],
    arrange: async (engine) => {
      await (await engine.start(fails, undefined)).outcome;
      ({ id } = await engine.start(asks, undefined));
      await untilStatus(engine, id, 'waiting');
    },
    context: { locale, colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' },
  });
  const look = async () => {
    expect(await audit(page)).toEqual([]);
    if (width > 360) return;
    expect(await tooNearTheEdge(page)).toEqual([]);
    expect(await smallTargets(page)).toEqual([]);
  };
  await page.locator('.needs-card .mini svg').waitFor();
  await look();
  await page.locator(`[data-task="${id}"] .name`).click();
  await page.locator('.thread svg .mark').first().waitFor();
  await page.getByRole('listbox').getByRole('option').first().waitFor();
  await look();
  await page.getByRole('listbox').getByRole('option').last().click();
  await page.locator('pre.value').waitFor();
  await look();
  expect(complaints).toEqual([]);
});
