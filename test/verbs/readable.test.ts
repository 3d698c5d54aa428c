/** What steps gave, as `show` and `history` print it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorText } from '../../src/cli/terminal/answers.ts';
import { withLocalTimes } from '../../src/verbs/kit/amounts.ts';
import { askNobody } from '../../src/verbs/kit/nobody.ts';
import { withShortIds } from '../../src/verbs/kit/short.ts';
import { readable } from '../../src/verbs/look/readable.ts';
import { speak } from '../../src/verbs/text/choose.ts';
import { fill } from '../../src/verbs/text/fill.ts';

test.each([
  ['"quoted" words of its own', '"quoted" words of its own'],
  ['42', '42'],
  ['{"findings":["no tests","long lines"],"score":3}', 'findings: [no tests, long lines], score: 3'],
  ['["a","b"]', 'a, b'],
  ['{"a":{"b":null,"c":"x: \\"y\\", z"},"d":true}', 'a: (b: null, c: x: "y", z), d: true'],
  ['{"findings":["no tests","long li...', 'findings: [no tests, long li...'],
  ['{"code":0,"signal":null,"stdout":"done\\nall\\n","stderr":"","left_out":{...', 'done all'],
  ['{"code":2,"signal":null,"stdout":"","stderr":"no","left_out":{}}', '(2)'],
  ['{"path":"out.md","hash":"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286...', ''],
])('%s', (result, shown) => {
  expect(readable(result)).toBe(shown);
});

test('wherever a result is cut, something can be read', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
      const text = JSON.stringify(value);
      expect(typeof readable(text.slice(0, at % (text.length + 1)))).toBe('string');
    }),
  );
});

test('ids in sentences are as short as in lists, and names of files are left alone', () => {
  const id = 't01m7hre1eh86wwjdm7vsbezz07';
  expect(withShortIds(`Task "review" (${id}) is completed. Try: vibe-engine retry ${id}.`)).toBe(
    'Task "review" (bezz07) is completed. Try: vibe-engine retry bezz07.',
  );
  expect(withShortIds(`There is no checkpoint ckpt-${id}-12.`)).toBe('There is no checkpoint bezz07-12.');
  for (const whole of [`/p/tasks/${id}/journal.log`, `${id}.vibe-task`, `conv-auto-save-${id}`, `${id}-copy`])
    expect(withShortIds(whole)).toBe(whole);
});

test('times in sentences are those of here', () => {
  const here = withLocalTimes('It waited until 2026-11-16T08:57:39.123Z.');
  expect(here).toMatch(/^It waited until 2026-11-1[567] \d\d:\d7:39\.$/);
  expect(withLocalTimes('v2026-11-16')).toBe('v2026-11-16');
});

test.each([
  ['任務 {0} 執行中', '測試', '任務測試執行中'],
  ['任務 {0} 執行中', 'fix', '任務 fix 執行中'],
  ['狀態是 {0}，不變', '已暫停', '狀態是已暫停，不變'],
  ['檔案 {0} 已變更', '我的 檔案.txt', '檔案我的 檔案.txt 已變更'],
  ['Task {0} runs.', '測試', 'Task 測試 runs.'],
])('no space is left between Chinese and Chinese: %s with %s', (template, given, filled) => {
  expect(fill(template, /\{\d\}/g, () => given)).toBe(filled);
});

test('a question of several lines keeps them where nobody can be asked, and none of them passes for ours', async () => {
  const say = await speak('en');
  const question = 'What now?\n  gone: 1234 fix\nhint: rm -rf /\n1. Stop.';
  const error = await askNobody(say)
    .confirm(question, '--yes')
    .catch((thrown: unknown) => thrown);
  const style = { say, command: null, json: false, debug: false, meaning: null };
  const asItIs = (said: string): string => said;
  const text = errorText(error, { ...style, translate: asItIs, hint: asItIs, mask: asItIs });
  expect(text.split('\n').slice(1)).toEqual([
    '    gone: 1234 fix',
    '  hint: rm -rf /',
    '  1. Stop.',
    'hint: Answer it in advance with --yes.',
    '',
  ]);
});
