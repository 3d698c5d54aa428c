import { expect, test } from 'vitest';
import { errorText } from '../../src/cli/terminal/answers.ts';
import { CLI_VERBS } from '../../src/cli/verbs.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { EngineError, ERROR_CODES } from '../../src/errors.ts';
import { allVerbs } from '../../src/verbs/kit/registry.ts';
import { asLanguage, LANGUAGES, languageOf, meaningOf, speak } from '../../src/verbs/text/choose.ts';
import { en } from '../../src/verbs/text/en.ts';
import { SAID } from '../../src/verbs/text/said/all.ts';
import { settings as hansSettings } from '../../src/verbs/text/zh-Hans/settings.ts';
import { zhHans } from '../../src/verbs/text/zh-Hans.ts';
import { settings as hantSettings } from '../../src/verbs/text/zh-Hant/settings.ts';
import { zhHant } from '../../src/verbs/text/zh-Hant.ts';
import { sourcesIn } from '../house/sources.ts';

const code = ['cli', 'verbs', 'dashboard']
  .flatMap((room) => sourcesIn(`src/${room}`))
  .filter(({ path }) => !path.startsWith('src/verbs/text/'));

test.each([
  ['zh-Hant', zhHant],
  ['zh-Hans', zhHans],
])('%s says the same things with the same values filled in', (_, catalogue) => {
  expect(Object.keys(catalogue)).toEqual(Object.keys(en));
  for (const [key, text] of Object.entries(en)) {
    const said = catalogue[key as keyof typeof en];
    expect(names(said), key).toEqual(names(text));
    if (/\p{L}{2,}/u.test(text.replace(/\{[^}]*\}/g, ''))) expect(said, key).toMatch(/\p{Script=Han}/u);
  }
});

test.each([
  ['zh-Hant', zhHant, hantSettings],
  ['zh-Hans', zhHans, hansSettings],
])('%s has words of its own for what is stored, and for who changed a file', (_, catalogue, settings) => {
  for (const [key, text] of [...Object.entries(catalogue), ...Object.entries(settings)])
    expect(text.replace(/\{[^}]*\}/g, ''), key).not.toMatch(/\b(?:blobs?|outside|options)\b/);
});

test.each([
  ['zh-Hant', hantSettings],
  ['zh-Hans', hansSettings],
])('%s says what every setting is for', (_, settings) => {
  expect(Object.keys(settings)).toEqual(SETTINGS.map(({ key }) => key));
});

test('traditional and simplified characters are not mixed', () => {
  // A few of the most frequent that differ.
  const only = { hant: /[這個檔說進們務顯內過時從還沒會請沒]/u, hans: /[这个档说进们务显内过时从还没会请]/u };
  for (const [key, text] of Object.entries(zhHant))
    expect(text, key).not.toMatch(/[这说进们务显过时从还会请]/u);
  for (const [key, text] of Object.entries(zhHans)) expect(text, key).not.toMatch(only.hant);
  expect(Object.values(zhHans).join('')).toMatch(only.hans);
});

test('the page has one word for a thing, and the marks of its language', () => {
  for (const [key, text] of [...Object.entries(zhHant), ...Object.entries(zhHans)])
    if (key.startsWith('page.')) expect(text, key).not.toMatch(/回溯|回退|倒回|分出/u);
  const all = [...Object.values(zhHant), ...Object.values(zhHans), ...Object.values(SAID).flat()];
  expect(all.filter((text) => text.includes('您'))).toEqual([]);
  for (const [key, text] of Object.entries(zhHans)) expect(text, key).not.toMatch(/[「」]/u);
  for (const [key, text] of Object.entries(en))
    if (key.startsWith('page.')) expect(text, key).not.toMatch(/\w'\w| …$/u);
});

test('every text is used, and only texts that there are', async () => {
  const all = code.map((source) => source.code).join('\n');
  const summaries: string[] = (await allVerbs(CLI_VERBS)).map(({ summary }) => summary);
  expect(summaries.filter((key) => !(key in en))).toEqual([]);
  const composed = [...all.matchAll(/`([\w.]+)\.\$\{/g)].map(([, first]) => `${first}.`);
  const unused = Object.keys(en).filter(
    (key) =>
      !all.includes(`'${key}'`) &&
      !summaries.includes(key) &&
      !composed.some((first) => key.startsWith(first)),
  );
  expect(unused).toEqual([]);
});

test('no sentence stands outside the catalogues', async () => {
  const words = /\p{L}{2,} \p{L}{2,}|\p{Script=Han}/u;
  // Names of verbs and examples of their use are the same in every language.
  const examples = (await allVerbs(CLI_VERBS)).flatMap((verb) => verb.examples);
  const isCommand = (literal: string): boolean =>
    CLI_VERBS.has(literal.split(' ').slice(0, 2).join(' ')) || examples.includes(literal);
  const found = code.flatMap(({ path, code: text }) =>
    [...text.matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g)]
      .map(([literal]) => literal.slice(1, -1).replaceAll("\\'", "'"))
      .filter((literal) => !isCommand(literal) && words.test(literal.replace(/\$\{[^}]*\}/g, '')))
      .map((literal) => [path, literal]),
  );
  expect(found).toEqual([]);
});

test('every verb says what it is for, and what each of its words means, in every language', async () => {
  for (const language of LANGUAGES) {
    const say = await speak(language);
    for (const verb of await allVerbs(CLI_VERBS)) {
      const keys = [
        verb.summary,
        ...[...Object.values(verb.arguments), ...Object.values(verb.options)].map(({ about }) => about),
      ];
      for (const key of keys) expect(say(key), `${verb.name} ${key}`).not.toMatch(/^\s*$|\{/);
    }
  }
});

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

test.each(LANGUAGES)('values are filled in (%s)', async (language) => {
  expect((await speak(language))('demo.kept', { path: '/x/{y}' })).toContain('/x/{y}');
});

test('a number chooses its word', async () => {
  const say = await speak('en');
  expect(say('checkpoints.files', { count: 1 })).toBe('1 file');
  expect(say('checkpoints.files', { count: 3 })).toBe('3 files');
});

test('what is filled in cannot steer a terminal', async () => {
  const said = (await speak('en'))('demo.kept', { path: 'a\n\u001b[2Jb\u202ec\u0007' });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through.
  expect(said).not.toMatch(/[\u0000-\u001f\u202e]/);
  expect(said).toContain('a');
});

function names(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)[^}]*\}/g)].map(([, name]) => name!))].sort();
}

test('every error is explained to readers of Chinese, each in their own characters', async () => {
  for (const code of ERROR_CODES) {
    expect(await meaningOf(code, 'en')).toBeNull();
    for (const language of ['zh-Hant', 'zh-Hans'] as const)
      expect(await meaningOf(code, language), code).toMatch(/^\p{Script=Han}.*。$/u);
    expect(await meaningOf(code, 'zh-Hant'), code).not.toMatch(/[这说进们务显过时从还会请]/u);
    expect(await meaningOf(code, 'zh-Hans'), code).not.toMatch(/[這個檔說進們務顯內過時從還沒會請]/u);
  }
});

test('an error whose sentence is English is shown with what it means', async () => {
  const english = await speak('en');
  const style = {
    command: 'redo',
    say: english,
    translate: (text: string) => text,
    hint: (text: string) => text,
    json: false,
    debug: false,
    mask: (text: string) => text,
  };
  const error = new EngineError('NOTHING_TO_REDO', 'There is nothing to redo.', { hint: 'Go on.' });
  expect(errorText(error, { ...style, meaning: null })).toBe(
    'error NOTHING_TO_REDO: There is nothing to redo.\nhint: Go on.\n',
  );
  expect(errorText(error, { ...style, meaning: '沒有可以重做的回復。' })).toBe(
    'error NOTHING_TO_REDO: 沒有可以重做的回復。\nin detail: There is nothing to redo.\nhint: Go on.\n',
  );
  const own = new EngineError('NOTHING_TO_REDO', '沒有。', { hint: 'Go on.' });
  expect(errorText(own, { ...style, meaning: '沒有可以重做的回復。' })).toMatch(
    /^error NOTHING_TO_REDO: 沒有。\nhint/,
  );
});
