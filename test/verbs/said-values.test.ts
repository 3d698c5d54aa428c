/** Values that are words, too, are said in the reader's language. */
import { expect, test } from 'vitest';
import type { StepRecord } from '../../src/engine/history/history-steps.ts';
import { type StepStyle, stepLines } from '../../src/verbs/look/step-lines.ts';
import { translator } from '../../src/verbs/text/translate.ts';

test.each([
  ['journal entry 12', '日誌第 12 筆', '日志第 12 条'],
  ['paused from the command line', '由命令列暫停', '由命令行暂停'],
  ['damaged rows 1-5', 'damaged 的第 1 到 5 列', 'damaged 的第 1 到 5 行'],
  ['30002 bytes in blob://abc', '30002 個位元組，存於 blob://abc', '30002 个字节，存于 blob://abc'],
])('%s', async (english, traditional, simplified) => {
  expect((await translator('zh-Hant'))(english)).toBe(traditional);
  expect((await translator('zh-Hans'))(english)).toBe(simplified);
});

const STEP: StepRecord = {
  id: '/a#1',
  name: 'a',
  agent: null,
  index: 0,
  status: 'success',
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 1,
  attempts: [],
  result: '30002 bytes in blob://step_results/abc',
};

async function lineOf(step: StepRecord): Promise<string | undefined> {
  const plain = (text: string) => text;
  const style = {
    ...{ translate: await translator('zh-Hant'), say: () => '', width: null, most: null },
    paint: { good: plain, bad: plain, warn: plain, dim: plain, bold: plain },
    amounts: { duration: String },
  };
  const history = { steps: [step], start_time: step.started_at, total_duration: 1 };
  return stepLines(history, style as unknown as StepStyle)[0];
}

test('a result that is stored apart is said so in the steps of a task', async () => {
  expect(await lineOf(STEP)).toContain('30002 個位元組，存於 blob://step_results/abc');
});

test('a failed call of an agent, which has no error of ours, shows what it answered', async () => {
  expect(await lineOf({ ...STEP, status: 'failed', result: 'Exit code 3' })).toContain('Exit code 3');
});
