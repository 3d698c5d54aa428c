/** The file that `import` reads: its lines are changed, then counted, hashed and compressed as they have to be; or its bytes are. */
import { createHash, hash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { unpackLines } from '../../../src/engine/portable/format.ts';
import { readPortable } from '../../../src/engine/portable/read.ts';
import { encode } from '../../../src/storage/serialize.ts';
import { sealState } from '../../../src/task/state.ts';
import { checkpoint } from '../../checkpoint/samples.ts';
import type { Target } from '../target.ts';
import { HEAD, STATES } from './records.ts';

const AT = '2026-11-15T00:00:00.000Z';
const TASK = 'task-1';
const content = Buffer.from('content of a file\n');

const LINES = [
  {
    ...{ format: 'vibe-engine-task', version: 1, task: TASK, tasks: [{ task: TASK, end: 3 }] },
    ...{ project_dir: '/work', exported_at: AT },
  },
  { t: 'blob', task: null, id: `file/${hash('sha256', content)}`, base64: content.toString('base64') },
  { t: 'entry', task: TASK, seq: 1, data: encode({ t: 'retry', at: AT }) },
  { t: 'entry', task: TASK, seq: 3, data: encode({ t: 'redo', at: AT, rollback: 1 }) },
  record('head', { ...HEAD, lineage: [] }),
  record('state', sealState(STATES[1]!, encode)),
  record('checkpoints/2026-11-15T00-00-00.000Z-000001', checkpoint()),
  { t: 'record', category: 'inbox', key: `${TASK}/m1`, data: encode({ id: 'm1', kind: 'pause' }) },
  { t: 'record', category: 'history', key: TASK, data: encode({ steps: [] }) },
];

function record(key: string, value: unknown): object {
  return { t: 'record', category: 'tasks', key: `${TASK}/${key}`, data: encode(value) };
}

const TEXT = Buffer.from(LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));

function withEnd(text: Buffer): Buffer {
  const lines = text.toString('latin1').split('\n').length - 1;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return gzipSync(Buffer.concat([text, Buffer.from(`${JSON.stringify({ t: 'end', lines, sha256 })}\n`)]), {
    level: 1,
  });
}

const LIMITS = {
  max_bytes: 4 * 1024 * 1024,
  max_line: 1024 * 1024,
  max_held: 1024 * 1024,
  max_entries: 10_000,
};
const read = (bytes: Buffer): Promise<unknown> =>
  readPortable(
    unpackLines(
      (async function* () {
        yield bytes;
      })(),
      LIMITS,
    ),
    LIMITS,
  );

export const PORTABLE: readonly Target[] = [
  { name: 'import', seeds: [TEXT], sealed: withEnd, weight: 0.5, read },
  {
    name: 'import (bytes)',
    seeds: [withEnd(TEXT), withEnd(Buffer.alloc(8 * 1024 * 1024, 10)), gzipSync(gunzipSync(withEnd(TEXT)))],
    weight: 0.1,
    read,
  },
];
