/** What the rooms below the verbs say to people is tagged as such, and said in every language. */
import { describe, expect, test } from 'vitest';
import { phrase } from '../../src/phrase.ts';
import { TaskStatus } from '../../src/task/status.ts';
import { SAID } from '../../src/verbs/text/said/all.ts';
import { WORDS } from '../../src/verbs/text/said/words.ts';
import { translateBy, translator } from '../../src/verbs/text/translate.ts';
import { templatesIn, untaggedIn } from '../house/said.ts';
import { sourcesIn } from '../house/sources.ts';

/** Rooms whose prose is all tagged. */
const ROOMS = ['system', 'config', 'task', 'storage', 'merge', 'workspace', 'drift', 'checkpoint', 'engine'];

/** What is read by nobody, or is in the reader's language in another way. */
const NOT_SAID: Readonly<Record<string, string>> = {
  'src/config/schema.ts': 'what settings are for: `settings.ts` of each language',
  'src/config/settings.ts': 'a fault of ours, seen by the test that loads it',
  'src/checkpoint/context/summary.ts': 'what an agent is given to read',
  'src/workspace/resolve/prompt.ts': 'what a model is asked',
  'src/workspace/merging/by-git.ts': 'a fault of git, reported as it is',
  'src/storage/serialize/leaves.ts': 'caught where it is thrown',
  'src/engine/api/redact.ts': 'caught where it is thrown',
  'src/engine/secrets/watch.ts': 'caught where it is thrown',
  'src/system/hashing/hash-pool.ts': 'caught where it is thrown',
};

const lower = sourcesIn('src').filter(({ path }) => !/^src\/(verbs|cli|dashboard)\//.test(path));
const templates = new Set(lower.flatMap(templatesIn).map(({ text }) => text));

describe('the sources', () => {
  test('have no prose that lacks the tag', () => {
    const room = new RegExp(`^src/(${ROOMS.join('|')})/`);
    const found = lower.filter(({ path }) => room.test(path) && !(path in NOT_SAID)).flatMap(untaggedIn);
    expect(found.map(({ path, line, text }) => `${path}:${line} ${text}`)).toEqual([]);
  });

  test('have the templates that are translated, and no others', () => {
    expect([...templates].filter((template) => !(template in SAID))).toEqual([]);
    expect(Object.keys(SAID).filter((template) => !templates.has(template))).toEqual([]);
  });
});

describe('translations', () => {
  test.each(Object.entries(SAID))('%s', (english, [hant, hans]) => {
    for (const said of [hant, hans]) {
      expect(said).toMatch(/\p{Script=Han}/u);
      expect(placeholders(said.replaceAll('!}', '}'))).toEqual(placeholders(english));
    }
    expect(placeholders(hant)).toEqual(placeholders(hans));
    expect(hant).not.toMatch(/[这个说进们务显过时从还会请点里为]/u);
    expect(hans).not.toMatch(/[這個檔說進們務顯內過時從還沒會請點裡為「」]/u);
  });
});

describe('a sentence', () => {
  const said = {
    'Task {0} has {1} left.': ['任務 {0} 還有 {1!}。', '任务 {0} 还有 {1!}。'],
    'one file': ['一個檔案', '一个文件'],
    '{0} files': ['{0} 個檔案', '{0} 个文件'],
    '{0} is not {1}.': ['{0} 不是 {1}。', '{0} 不是 {1}。'],
    'Nothing was changed.': ['什麼都沒有改變。', '什么都没有改变。'],
  } as const;
  const translate = translateBy(said, 0);

  test.each([
    ['Task a has one file left.', '任務 a 還有一個檔案。'],
    ['Task one file has 3 files left.', '任務 one file 還有 3 個檔案。'],
    ['Task a has one file, 3 files left.', '任務 a 還有一個檔案、3 個檔案。'],
    ['x is not y. Nothing was changed.', 'x 不是 y。什麼都沒有改變。'],
    ['fatal: no. Nothing was changed.', 'fatal: no. 什麼都沒有改變。'],
    ['one file\n3 files', '一個檔案\n3 個檔案'],
    ['Somebody else said this.', 'Somebody else said this.'],
    ['', ''],
  ])('%j becomes %j', (english, chinese) => {
    expect(translate(english)).toBe(chinese);
  });

  test('is English for readers of English', async () => {
    expect((await translator('en'))('Nothing was changed.')).toBe('Nothing was changed.');
  });
});

test.each([
  ['🔄 Resuming task: 重構', '🔄 恢復任務：重構'],
  ['📍 Continuing from iteration 3', '📍 從第 3 輪繼續'],
  ['📝 Last progress: 改名完成 (40 %)', '📝 上次進度：改名完成（40%）'],
  ['📝 Last progress: step "build" failed (40 %)', '📝 上次進度：步驟「build」失敗（40%）'],
  ['a.txt was changed by others, too. Which version should be kept?', 'a.txt 也被他人更改。要保留哪個版本？'],
  [
    'Task "edit" (t1) is waiting, and cannot become paused. It can now become: in_progress, cancelled.',
    '任務「edit」（t1）的狀態是等待中，目前不能轉為已暫停，只能轉為進行中、已取消。',
  ],
])('%j is said in the words of the documents', async (english, chinese) => {
  expect((await translator('zh-Hant'))(english)).toBe(chinese);
});

test('every status has a word', () => {
  const known = { ...WORDS, ...SAID };
  expect(Object.values(TaskStatus).filter((status) => !(status in known))).toEqual([]);
});

test('a phrase is a string; lists are written as one reads them', () => {
  expect(phrase`plain`).toBe('plain');
  expect(phrase`${1} of ${['a', 'b']}: ${null}`).toBe('1 of a, b: null');
});

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\d+!?\}/g)].map(([whole]) => whole).sort();
}
