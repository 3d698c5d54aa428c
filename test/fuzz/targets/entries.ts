/** Every kind of journal entry. */
import { blobIdsIn } from '../../../src/checkpoint/values/blob-ref.ts';
import { parseEntry } from '../../../src/engine/task/entries.ts';
import { decode, encode } from '../../../src/storage/serialize.ts';
import { type Target, textSeeds } from '../target.ts';

const at = '2026-11-15T00:00:00.000Z';
const step = { id: '/fetch#1', name: 'fetch', agent: '', index: 0, at, attempt: 1 };
const tool = { tool: 'read', input: { path: 'a.txt' }, bytes: 20, status: 'error', call: 'c1' };
const files = { from: 'snapshot/1', to: 'snapshot/2', by: 'tool', own: { from: 'a', to: 'b' }, place: '/w' };
const inside = { step: '/fetch#1', attempt: 1 };

const ENTRIES: readonly unknown[] = [
  { t: 'begin', ...step, danger: 'shell_command', tool, snapshot: 'snapshot/1', paths: ['a.txt'] },
  {
    t: 'step',
    ...step,
    ms: 3,
    result: { $blob: `blob://steps/${'a'.repeat(64)}`, bytes: 3, encoding: 'json' },
    tool,
    files,
  },
  {
    t: 'failure',
    ...step,
    ms: 3,
    error: { name: 'Error', message: 'no', code: 'E', data: { a: 1 } },
    final: true,
  },
  { t: 'skip', id: step.id, name: 'fetch', agent: '', index: 0, at },
  { t: 'message', at, agent: '', role: 'user', content: 'hello', bytes: 5, in: inside },
  {
    t: 'tool',
    at,
    agent: '',
    tool: 'read',
    input: null,
    output: { map: new Map([[1, 2]]) },
    status: 'success',
    ms: 1,
    bytes: 2,
  },
  { t: 'decision', at, agent: '', what: 'use it', why: 'quick', alternatives: ['other'], bytes: 9 },
  { t: 'wait', id: '/w#1', at, kind: 'user_input', prompt: 'Which?', timeout_at: null },
  { t: 'answer', id: '/w#1', at, outcome: 'answered', value: [1n], by: 'ada', message: 'm1' },
  { t: 'sleep', id: '/s#1', at, until: at },
  { t: 'agent', id: '/a#1', name: 'writer', at, ms: 5, status: 'success', result: undefined },
  { t: 'retry', at },
  { t: 'rollback', at, checkpoint: null, to: 3, settled: ['/fetch#1'] },
  { t: 'redo', at, rollback: 4 },
  {
    t: 'take',
    at,
    from: 't01j9zp8f6gq5x7k2qf',
    changed: { from: 'snapshot/a', to: 'snapshot/b', place: 'here' },
  },
  { t: 'fork', at, checkpoint: 'ckpt-task-0-1', settled: [] },
];

export const entries: Target = {
  name: 'journal entry',
  seeds: textSeeds(...ENTRIES.map(encode)),
  weight: 3,
  read(bytes) {
    const data = decode(bytes.toString('utf8'));
    blobIdsIn(data);
    return parseEntry(data, 1);
  },
};
