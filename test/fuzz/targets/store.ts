/** A whole store of which one file is somebody else's: opened, listed, read, checked and written to. Nothing outside it may change. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { VibeError } from '../../../src/errors.ts';
import { next, START } from '../../../src/storage/chain.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import { encodeFrame } from '../../../src/storage/json/lines/frame.ts';
import { encodeHeader, NO_SUM } from '../../../src/storage/json/lines/log.ts';
import { openJsonStorage } from '../../../src/storage/json/open.ts';
import { encodeIndex, encodeView } from '../../../src/storage/json/view.ts';
import type { Target } from '../target.ts';
import { index, sealedLine, view } from './stored.ts';

const AT = '2026-11-15T00:00:00.000Z';
const head = encodeHeader({ id: 'l1', task: 't1', number: 0, position: START, fence: 0, gaps: [], at: AT });
const ENTRY = '{"t":"retry"}';
const first = encodeFrame(
  1,
  head.sum,
  {
    ...{ at: AT, f: 0, s: 1, h: next(START, ENTRY).hash, e: 1 },
    r: [
      ['tasks', 't1/state', 1],
      ['tasks', 't1/gone', 0],
    ],
  },
  ['{"of":"t1"}', ENTRY],
);
const STATE = encodeView({ revision: 1, updated_at: AT, text: '{"of":"t1"}' });
const INDEX = encodeIndex({
  ...{ log: 'l1', start: head.line.length, end: head.line.length + first.line.length, previous: head.sum },
  records: { 't1/state': 1 },
});
const FILES: Readonly<Record<string, Buffer>> = {
  'store.json': Buffer.from(
    JSON.stringify({
      format: 'vibe-engine-json',
      version: 1,
      id: 's1',
      created_at: AT,
      case_sensitive: true,
    }),
  ),
  'tasks/t1/journal.log': Buffer.concat([head.line, first.line]),
  'tasks/t1/views.index': INDEX,
  'tasks/t1/state.json': STATE,
  'config/x.json': encodeView({ revision: 1, updated_at: AT, text: '1' }),
};

function withFile(name: string, seal?: (bytes: Buffer) => Buffer): Target {
  return {
    name: `store with ${name}`,
    seeds: [FILES[name]!],
    ...(seal && { sealed: seal }),
    weight: 0.1,
    async read(bytes) {
      const outside = mkdtempSync(join(tmpdir(), 've-fuzz-store-'));
      try {
        await use(join(outside, 'store'), { ...FILES, [name]: bytes });
        const there = readdirSync(outside);
        if (there.join() !== 'store') throw new Error(`there is something outside the store: ${there}`);
      } finally {
        rmSync(outside, { recursive: true, force: true });
      }
    },
  };
}

async function use(root: string, files: typeof FILES): Promise<void> {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), bytes);
  }
  const store = await openJsonStorage({ root });
  try {
    await actOn(store);
  } finally {
    await store.close();
  }
}

/** Nothing but errors of this project may come of it. */
export async function actOn(store: Storage): Promise<void> {
  for (const act of ACTS) await act(store).catch(typedOnly);
}

const ACTS: readonly ((store: Storage) => Promise<unknown>)[] = [
  (store) => drained(store.verify()),
  async (store) => {
    for (const task of (await store.tasks()).keys) await drained(store.read(task));
  },
  (store) => store.load('tasks', 't1/state'),
  (store) => store.list('config'),
  (store) => store.load('config', 'x'),
  async (store) => {
    const { fence, release } = await store.claim('t1');
    const record = { category: 'tasks', key: 't1/more', data: 1 };
    await store.commit({ task: 't1', fence, records: [record] }).catch(typedOnly);
    await release();
  },
  (store) => store.repair('t1'),
  (store) => store.compact('t1'),
  (store) => store.removeTask('t1'),
];

async function drained(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values);
}

function typedOnly(error: unknown): void {
  if (!(error instanceof VibeError)) throw error;
}

/** Every line with the number, length and sum that fit the one before it. */
function chained(bytes: Buffer): Buffer {
  let sum = NO_SUM;
  const lines = bytes.toString('latin1').split('\n').filter(Boolean);
  return Buffer.concat(
    lines.map((line) => {
      const whole = sealedLine(Buffer.from(`${line}\n`, 'latin1'), sum);
      sum = whole.toString('latin1', whole.length - 65, whole.length - 1);
      return whole;
    }),
  );
}

export const STORES: readonly Target[] = [
  withFile('tasks/t1/journal.log', chained),
  withFile('tasks/t1/views.index', index.sealed),
  withFile('tasks/t1/state.json', view.sealed),
  withFile('config/x.json', view.sealed),
  withFile('store.json'),
];
