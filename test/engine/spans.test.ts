/** Which stretches of its journal a task changed files in. */
import { describe, expect, test } from 'vitest';
import { readSpans } from '../../src/engine/files/spans.ts';
import type { Entry } from '../../src/engine/task/entries.ts';

const at = '2026-01-01T00:00:00.000Z';
const step = { name: 'n', agent: '', index: 0, at, attempt: 1 };

function begin(id: string, snapshot: string): Entry {
  return { t: 'begin', id, ...step, danger: 'shell_command', snapshot };
}
function end(id: string, to: string): Entry {
  return { t: 'step', id, ...step, ms: 1, result: null, files: { from: 'its own', to, by: 'shell' } };
}
/** Of an operation that changes one file, with what it did where others changed files too. */
function beginFile(id: string, snapshot: string): Entry {
  return { t: 'begin', id, ...step, danger: 'file_change', snapshot, paths: [id] };
}
function endFile(id: string, from: string, to: string, own?: { from: string; to: string }): Entry {
  const files = { from, to, by: 'step' as const, ...(own ? { own } : {}) };
  return { t: 'step', id, ...step, ms: 1, result: null, files };
}
/** A checkpoint. */
function look(snapshot: string): Entry {
  return { t: 'checkpoint', at, mark: { n: 1, snapshot } };
}
/** The checkpoint before a prompt. */
function turn(snapshot: string): Entry {
  return { t: 'checkpoint', at, mark: { n: 1, by: 'before_turn', snapshot } };
}
const died: Entry = { t: 'recovery', at, checkpoint: null, notes: [], unknown: [] };

function spansOf(entries: readonly (Entry | { readonly cut: string })[]) {
  const reader = readSpans();
  for (const entry of entries) 'cut' in entry ? reader.cut(entry.cut) : reader.take(entry);
  const spans = reader
    .spans()
    .map(({ from, to, doubtful, paths = [] }) => `${from}-${to}${doubtful ? '?' : ''}${paths.join()}`);
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
    [
      'cut off after the files were looked at',
      [begin('a', '1'), look('2'), look('3'), died, begin('b', '4'), end('b', '5')],
      '1-3 3-4? 4-5',
      '5',
    ],
    ['looked at while it is under way', [begin('a', '1'), look('2')], '1-2 2-null?', null],
    ['looked at, and ended', [begin('a', '1'), look('2'), end('a', '3')], '1-3', '3'],
    [
      'cut off with nothing changed since it was looked at',
      [begin('a', '1'), look('2'), died, begin('b', '2')],
      '1-2 2-null?',
      null,
    ],
    [
      'looked at before a checkpoint that it is read from',
      [begin('a', '1'), look('2'), { cut: '3' }],
      '3-null?',
      null,
    ],
    ['looked at while nothing runs', [look('1'), begin('a', '2'), end('a', '3')], '2-3', '3'],
    ['cut off, then a prompt', [begin('a', '1'), died, turn('2')], '1-2?', '2'],
    [
      'cut off, then a prompt, others, and a call',
      [begin('a', '1'), died, turn('2'), begin('b', '3'), end('b', '4')],
      '1-2? 3-4',
      '4',
    ],
    ['a write that was cut off, then a prompt', [beginFile('a', '1'), died, turn('2')], '1-2?a', '2'],
    ['cut off, then another checkpoint', [begin('a', '1'), died, look('2')], '1-null?', null],
    ['a prompt while it is under way', [begin('a', '1'), turn('2')], '1-2 2-null?', null],
    [
      'cut off before a prompt that it is read from',
      [begin('a', '1'), died, turn('2'), { cut: '2' }],
      '',
      '2',
    ],
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
    [
      'files written one after another',
      [beginFile('a', '1'), endFile('a', '1', '2'), beginFile('b', '2'), endFile('b', '2', '3')],
      '1-3',
      '3',
    ],
    [
      'a file written while others wrote',
      [beginFile('a', '1'), endFile('a', '1', '2', { from: '1a', to: '2a' })],
      '1a-2a',
      '2',
    ],
    [
      'files written side by side',
      [
        ...[beginFile('a', '1'), beginFile('b', '2')],
        ...[endFile('a', '1', '3', { from: '1', to: '2a' }), endFile('b', '2', '4', { from: '2', to: '3b' })],
      ],
      '1-2a 2-3b',
      '4',
    ],
    [
      'a file written while a command runs',
      [begin('run', '1'), beginFile('a', '2'), endFile('a', '2', '3'), end('run', '4')],
      '2-3 1-4',
      '4',
    ],
    ['a file being written', [beginFile('a', '1')], '1-null?a', null],
    [
      'a write that was cut off, then made again',
      [beginFile('a', '1'), died, beginFile('a', '2'), endFile('a', '2', '3')],
      '1-2?a 2-3',
      '3',
    ],
    [
      'a write and a command that were cut off',
      [beginFile('a', '1'), begin('run', '2'), died, begin('run', '3'), end('run', '4')],
      '2-3? 1-3?a 3-4',
      '4',
    ],
    [
      'a checkpoint just before a file is written',
      [beginFile('a', '1'), { cut: '1' }, endFile('a', '1', '2', { from: '1a', to: '2a' })],
      '1a-2a',
      '2',
    ],
    [
      'a checkpoint while a file is written',
      [beginFile('a', '1'), { cut: '2' }, endFile('a', '1', '3')],
      '2-3a',
      '3',
    ],
  ] as [string, (Entry | { cut: string })[], string, string | null][])('%s', (_, entries, spans, newest) => {
    expect(spansOf(entries)).toEqual([spans, newest]);
  });
});
