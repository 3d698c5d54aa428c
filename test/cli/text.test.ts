import { expect, test } from 'vitest';
import { asLanguage, LANGUAGES, languageOf, speak } from '../../src/cli/text/choose.ts';
import { en } from '../../src/cli/text/en.ts';
import { zhHans } from '../../src/cli/text/zh-Hans.ts';
import { zhHant } from '../../src/cli/text/zh-Hant.ts';
import { sourcesIn } from '../house/sources.ts';

const code = sourcesIn('src/cli').filter(({ path }) => !path.startsWith('src/cli/text/'));

test.each([
  ['zh-Hant', zhHant],
  ['zh-Hans', zhHans],
])('%s says the same things with the same values filled in', (_, catalogue) => {
  expect(Object.keys(catalogue)).toEqual(Object.keys(en));
  for (const [key, text] of Object.entries(en)) {
    expect(placeholders(catalogue[key as keyof typeof en]), key).toEqual(placeholders(text));
    expect(catalogue[key as keyof typeof en], key).toMatch(/\p{Script=Han}/u);
  }
});

test('every text is used', () => {
  const all = code.map((source) => source.code).join('\n');
  expect(Object.keys(en).filter((key) => !all.includes(`'${key}'`))).toEqual([]);
});

test('no sentence stands outside the catalogues', () => {
  const words = /\p{L}{2,} \p{L}{2,}|\p{Script=Han}/u;
  const found = code.flatMap(({ path, code: text }) =>
    [...text.matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g)]
      .map(([literal]) => literal.replace(/\$\{[^}]*\}/g, ''))
      .filter((literal) => words.test(literal) && literal !== COMMANDERS_OWN)
      .map((literal) => [path, literal]),
  );
  expect(found).toEqual([]);
});

/** Not ours: looked up to be replaced. */
const COMMANDERS_OWN = "'Global Options:'";

test.each([
  [{}, 'en'],
  [{ LANG: 'C.UTF-8' }, 'en'],
  [{ LANG: 'de_DE.UTF-8' }, 'en'],
  [{ LANG: 'zh_TW.UTF-8' }, 'zh-Hant'],
  [{ LANG: 'zh_HK' }, 'zh-Hant'],
  [{ LANG: 'zh-Hant' }, 'zh-Hant'],
  [{ LANG: 'zh_CN.UTF-8' }, 'zh-Hans'],
  [{ LANG: 'zh' }, 'zh-Hans'],
  [{ LANG: 'zh_CN', LC_MESSAGES: 'zh_TW' }, 'zh-Hant'],
  [{ LANG: 'zh_CN', LC_MESSAGES: 'zh_TW', LC_ALL: 'en_US' }, 'en'],
  [{ LANG: 'zh_CN', LC_ALL: '' }, 'zh-Hans'],
])('%j speaks %s', (env, language) => {
  expect(languageOf(env)).toBe(language);
});

test.each([
  ['en', 'en'],
  ['en_US', 'en'],
  ['zh-TW', 'zh-Hant'],
  ['zh_TW', 'zh-Hant'],
  ['zh-HK', 'zh-Hant'],
  ['zh-Hant-TW', 'zh-Hant'],
  ['zh-CN', 'zh-Hans'],
  ['zh-Hans', 'zh-Hans'],
  ['fr', undefined],
  ['zhx', undefined],
  ['', undefined],
])('--lang %s means %s', (name, language) => {
  expect(asLanguage(name)).toBe(language);
});

test.each(LANGUAGES)('values are filled in (%s)', (language) => {
  expect(speak(language)('demo.kept', { path: '/x/{y}' })).toContain('/x/{y}');
});

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\w+\}/g)].map(([whole]) => whole).sort();
}
