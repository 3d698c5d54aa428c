/// <reference lib="dom" />
/** A project whose every text is markup and hidden characters: every screen and dialog shows it as text. */
import { expect, test } from 'vitest';
import { tempDirs } from '../../support/temp.ts';
import { inBrowser } from './browser.ts';
import { everyScreen, screensOf, show, type World } from './every-screen.ts';

const open = inBrowser();
const tempDir = tempDirs();

const EVIL = '<img src=x onerror="planted=true"><script>planted=true</script>\u202egnp.exe\u2066';

test('every screen and dialog: no markup, no hidden character, also in titles, options and labels', async () => {
  const name = (text: string): string => (/\.txt$/.test(text) ? `<b>\u202e${text}` : `${text} ${EVIL}`);
  const { options, arrange } = everyScreen(tempDir(), (text) => `${text} ${EVIL}`, name);
  let world!: World;
  const { page, complaints } = await open({
    ...options,
    arrange: async (engine) => {
      world = await arrange(engine);
    },
  });
  await page.locator('article[data-task]').first().waitFor();
  const found: string[] = [];
  const seen: string[] = [];
  for (const screen of screensOf(world)) {
    await show(page, screen);
    const { planted, elements, hidden, text } = await page.evaluate(whatIsThere);
    found.push(...[...elements, ...hidden].map((what) => `${screen.name}: ${what}`));
    if (planted) found.push(`${screen.name}: a script ran`);
    if (text.includes('<img src=x')) seen.push(screen.name);
  }
  expect(found).toEqual([]);
  // Most of them do show it.
  expect(seen).toEqual(
    expect.arrayContaining([
      'tasks',
      'task',
      'detail',
      'conversation',
      'files',
      'rewind',
      'compare',
      'conflict',
      'fork',
      'resume',
    ]),
  );
  expect(complaints).toEqual([]);
});

/** In the page. */
function whatIsThere() {
  const { document } = globalThis;
  const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
  const all = [...document.querySelectorAll('*')];
  const texts = [
    ['title', document.title],
    ...all.flatMap((element) => [
      ...[...element.childNodes].flatMap((node) =>
        node.nodeType === 3 ? [[element.tagName, node.nodeValue ?? '']] : [],
      ),
      ...[...element.attributes].flatMap(({ name, value }) =>
        name === 'value' ? [] : [[`${element.tagName}[${name}]`, value]],
      ),
    ]),
  ];
  return {
    planted: 'planted' in globalThis,
    elements: all.filter((one) => one.matches('img, body script, b[src]')).map((one) => one.outerHTML),
    hidden: texts
      .filter(([, value]) => HIDDEN.test(value!))
      .map(([where, value]) => `${where} ${value!.slice(0, 60)}`),
    text: document.body.textContent ?? '',
  };
}
