/** Which stretches of its journal a task changed files in. */
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/engine/entries.ts';
import { readSpans } from '../../src/engine/files/spans.ts';

const at = '2026-01-01T00:00:00.000Z';
const step = { name: 'n', agent: '', index: 0, at, attempt: 1 };

function begin(id: string, snapshot: string): Entry {
  return { t: 'begin', id, ...step, danger: 'shell_command', snapshot };
}
function end(id: string, to: string): Entry {
  return { t: 'step', id, ...step, ms: 1, result: null, files: { from: 'its own', to, by: 'shell' } };
}
const died: Entry = { t: 'recovery', at, checkpoint: null, notes: [], unknown: [] };

function spansOf(entries: readonly (Entry | { readonly cut: string })[]) {
  const reader = readSpans();
  for (const entry of entries) 'cut' in entry ? reader.cut(entry.cut) : reader.take(entry);
  const spans = reader.spans().map(({ from, to, doubtful }) => `${from}-${to}${doubtful ? '?' : ''}`);
  return [spans.join(' '), reader.newest()];
}

describe('spans', () => {
  test.each([
    [
      'one operation after another, with nothing between them',
      [begin('a', '1'), end('a', '2'), begin('b', '2'), end('b', '3')],
      '1-3',
      '3',
    ],
    ['others between them', [begin('a', '1'), end('a', '2'), begin('b', '3'), end('b', '4')], '1-2 3-4', '4'],
    ['side by side', [begin('a', '1'), begin('b', '2'), end('a', '3'), end('b', '4')], '1-4', '4'],
    ['an operation that changed nothing', [begin('a', '1'), end('a', '1')], '', '1'],
    ['under way', [begin('a', '1')], '1-null?', null],
    ['cut off, then run again', [begin('a', '1'), died, begin('a', '2'), end('a', '3')], '1-2? 2-3', '3'],
    ['cut off, then something else', [begin('a', '1'), died, begin('b', '1'), end('b', '2')], '1-2', '2'],
    [
      'a checkpoint between operations',
      [begin('a', '1'), end('a', '2'), { cut: '3' }, begin('b', '4'), end('b', '5')],
      '4-5',
      '5',
    ],
    ['a checkpoint in the middle of one', [begin('a', '1'), { cut: '2' }, end('a', '3')], '2-3', '3'],
    ['a checkpoint at the end', [begin('a', '1'), end('a', '2'), { cut: '3' }], '', '3'],
    [
      'rolled back to before an operation that had ended',
      [
        begin('a', '1'),
        { t: 'rollback', at, checkpoint: null, to: 1, settled: ['a'], snapshot: '9' },
        begin('a', '9'),
        end('a', '10'),
      ],
      '9-10',
      '10',
    ],
  ] as [string, (Entry | { cut: string })[], string, string | null][])('%s', (_, entries, spans, newest) => {
    expect(spansOf(entries)).toEqual([spans, newest]);
  });
});
