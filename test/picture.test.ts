/** The pictures: how they are drawn, and that they show what there is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { screenAfter, textOf } from '../picture/screen.ts';
import { svgOf } from '../picture/svg.ts';
import { widthOf } from '../src/verbs/format/width.ts';
import { changing } from '../src/verbs/text/en/changing.ts';
import { demo } from '../src/verbs/text/en/demo.ts';
import { hooks } from '../src/verbs/text/en/hooks.ts';
import { ROOT } from './house/sources.ts';

const rowsAfter = (raw: string): string[] => screenAfter(raw, widthOf).map(textOf);

describe('a screen', () => {
  test.each([
    ['lines', 'a\r\nb\r\n', ['a', 'b', '']],
    ['a line drawn over', 'long line\r\u001b[Kshort', ['short']],
    ['what is left of a longer line', 'long line\rshort', ['shortline']],
    ['moves up and erases', 'a\r\nb\r\nc\u001b[2A\u001b[Jd', ['ad']],
    ['columns', 'abc\u001b[2Gx\u001b[1Cy', ['axcy']],
    ['wide characters', '🔄 字x', ['🔄 字x']],
    ['sequences that do nothing here', '\u001b[?25la\u001b]b', ['ab']],
  ])('shows %s', (_, raw, rows) => {
    expect(rowsAfter(raw)).toEqual(rows);
  });
});

test('a picture has the text, its emphasis, and its places', () => {
  const rows = screenAfter('\u001b[1m<b>\u001b[22m  \u001b[32mok\u001b[39m\r\n\r\n🔄 & on', widthOf);
  const svg = svgOf(rows, 20, 'a > b');
  expect(svg).toContain('<title>a &gt; b</title>');
  expect(svg).toContain('class="bold">&lt;b&gt;</tspan>');
  expect(svg).toContain('class="green">ok</tspan>');
  const [, first, after] = /x="([\d.]+)">🔄<\/tspan><tspan x="([\d.]+)">&amp; on/.exec(svg)!;
  const [, third] = /class="bold">[^x]*x="([\d.]+)" class="green"/.exec(svg)!;
  // `&` stands in the fourth column, `ok` in the sixth.
  expect((Number(after) - Number(first)) / 3).toBeCloseTo((Number(third) - Number(first)) / 5, 1);
});

test('docs/demo.svg shows the demo as it is; npm run picture makes it again', () => {
  const svg = readFileSync(join(ROOT, 'docs/demo.svg'), 'utf8');
  const titles = Object.entries(demo).filter(([key]) => key.startsWith('demo.act.'));
  expect(titles.length).toBe(5);
  for (const [, title] of [...titles, ['', demo['demo.scripted']]]) expect(svg).toContain(title);
  expect(svg).toMatch(/13 steps, each done once; 6 of them before the kill\./);
  expect(svg.length).toBeLessThan(20_000);
});

test('docs/rewind.svg shows what a rewind says; npm run picture -- rewind makes it again', () => {
  const svg = readFileSync(join(ROOT, 'docs/rewind.svg'), 'utf8');
  const said = [
    hooks['hooks.state.active'],
    changing['rollback.done'],
    changing['conversation.cut'],
    changing['conversation.command'],
  ];
  for (const words of said.flatMap((text) => text.split(/\{\w+\}/))) expect(svg).toContain(words.trim());
  for (const command of ['hooks install', 'show', 'rollback', 'resume'])
    expect(svg).toContain(`npx vibe-engine ${command}`);
  expect(svg.length).toBeLessThan(20_000);
});
