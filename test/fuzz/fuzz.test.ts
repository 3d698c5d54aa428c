/** A few thousand inputs to everything that reads what can come from outside, and proof that what is wrong would show. */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { type Mutant, plant } from '../crash/mutants.ts';
import { seededBugs, unlessFull } from '../support/full.ts';
import { fuzz, inputFor } from './campaign.ts';
import { judge } from './judge.ts';
import { type Target, textSeeds } from './target.ts';
import { removeScratch } from './targets/words.ts';
import { TARGETS } from './targets.ts';

const SEED = 20_261_115;

afterAll(removeScratch);

test('no input is answered by anything but a value or an error with a code', async () => {
  const reports = await fuzz({ targets: TARGETS, seed: SEED, size: unlessFull(800, 5_000) });
  expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
  expect(reports.map(({ campaign }) => campaign)).toEqual(TARGETS.map(({ name }) => name));
});

test.each(TARGETS.map((target) => [target.name, target] as const))(
  '%s takes what is right and refuses what is not',
  async (_, target) => {
    const [right] = target.seeds.map((seed) => target.sealed?.(seed) ?? seed);
    expect(await judge(target, right!)).toEqual({ accepted: true, violation: null });
    expect((await judge(target, Buffer.from('\0'))).violation).toBeNull();
  },
);

test('the same seed makes the same inputs', () => {
  const all = (): string => TARGETS.map((target) => inputFor(target, SEED, 7).toString('hex')).join();
  expect(all()).toBe(all());
});

const base = { name: 'wrong', seeds: textSeeds('{"a":{"b":1}}') };
const wrong: readonly [string, Target, RegExp][] = [
  [
    'an error without a code',
    { ...base, read: (bytes) => JSON.parse(bytes.toString()) },
    /^threw SyntaxError/,
  ],
  [
    'a rejection without one',
    { ...base, read: async () => Promise.reject(new TypeError('no')) },
    /^threw TypeError/,
  ],
  [
    'a rejection nobody handles',
    { ...base, read: () => void Promise.reject(new Error('left')) },
    /^a rejection nobody handles/,
  ],
  ['a merge that follows "__proto__"', { ...base, read: (bytes) => copied(parsed(bytes)) }, /inherits/],
  [
    'a second of work',
    {
      ...base,
      read: () => {
        const began = process.threadCpuUsage();
        while (process.threadCpuUsage(began).user < 1_100_000) hash('sha256', Buffer.alloc(1_000_000));
      },
    },
    /of processor time/,
  ],
];

// The last one works for a second.
test.each(unlessFull(wrong.slice(0, -1), wrong))('%s is noticed', async (_, target, what) => {
  const [report] = await fuzz({
    targets: [target],
    seed: SEED,
    size: what.source.includes('processor') ? 1 : 2_000,
  });
  expect(report!.violations.map((one) => one.what)).toContainEqual(expect.stringMatching(what));
});

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}

function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value).slice(0, 50)) copy[key] = (value as Record<string, unknown>)[key];
  return copy;
}

/** Each undoes a check that a decoder makes. */
const MUTANTS: readonly (Mutant & { readonly only: string })[] = [
  {
    name: 'a text that is no JSON goes unnoticed',
    only: 'index of views',
    changes: [
      {
        file: 'storage/json/view.ts',
        find: "hash('sha256', text) !== sum) return null;\n",
        replace: "hash('sha256', text) !== sum) return null;\n  JSON.parse(text);\n",
      },
    ],
  },
  {
    name: 'a record is taken for an object',
    only: 'drift',
    changes: [
      {
        file: 'engine/task/records/versions.ts',
        find: '(stored ?? {}) as Record<string, unknown>',
        replace: 'stored as Record<string, unknown>',
      },
    ],
  },
];

test.concurrent.for(seededBugs(MUTANTS))('"$name" is caught', async ({ only, ...mutant }, { expect }) => {
  const dir = mkdtempSync(join(tmpdir(), 've-fuzz-mutant-'));
  try {
    plant(mutant, dir);
    const tests = fileURLToPath(new URL('..', import.meta.url));
    for (const room of ['fuzz', 'crash', 'checkpoint'])
      cpSync(join(tests, room), join(dir, 'test', room), { recursive: true });
    const args = ['--only', only, '--size', '2000', '--seed', `${SEED}`];
    const run = promisify(execFile)(process.execPath, [join(dir, 'test/fuzz/long.ts'), ...args]);
    await expect(run).rejects.toMatchObject({ code: 1, stdout: expect.stringMatching(/^VIOLATION /m) });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
