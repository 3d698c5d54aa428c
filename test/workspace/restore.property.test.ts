/** What a restore makes of files that the task and others changed in turns, held against a model in memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unlessFull } from '../support/full.ts';
import { grounds, put, type Thing } from './ground.ts';
import { type Act, type Batch, batchesOf, FLAT_PATHS, flatAct, leavesIn, perform } from './stories.ts';

const newGround = grounds();
const RUNS = Number(process.env.STORIES ?? unlessFull(6, 40));

type Value = Thing | undefined;
interface Change {
  readonly before: Value;
  readonly after: Value;
}

/** The task's changes are taken back, the last first; a file that is then not as the task left it is asked about. */
function wanted(changes: readonly Change[], now: Value): Value | 'asked' {
  let value = now;
  for (const { before, after } of whole(changes).toReversed()) {
    if (isDeepStrictEqual(value, after)) value = before;
    else if (!isDeepStrictEqual(value, before)) return 'asked';
  }
  return value;
}

/** What the task did in several goes with nobody in between is one change; what it took back itself is none. */
function whole(changes: readonly Change[]): Change[] {
  const done: Change[] = [];
  for (const { before, after } of changes) {
    const last = done.at(-1);
    const first = last && isDeepStrictEqual(last.after, before) ? done.pop()!.before : before;
    if (!isDeepStrictEqual(first, after)) done.push({ before: first, after });
  }
  return done;
}

const choices = fc.record({
  on_modified: fc.constantFrom('use_current' as const, 'use_checkpoint' as const),
  on_deleted: fc.constantFrom('skip' as const, 'restore' as const),
});

/** A file that is asked about, however few are drawn. */
const line = (bytes: string): Act => ({ path: 'a', thing: { kind: 'file', mode: 0o644, bytes } });
const CONTESTED: [Act[], Batch[], { on_modified: 'use_current'; on_deleted: 'skip' }] = [
  [line('start\n')],
  [
    { by: 'task', acts: [line('task\n')] },
    { by: 'others', acts: [line('others\n')] },
  ],
  { on_modified: 'use_current', on_deleted: 'skip' },
];

test('every file is as the model says, for every choice', async () => {
  let asked = 0;
  await fc.assert(
    fc
      .asyncProperty(
        fc.array(flatAct, { maxLength: 6 }),
        batchesOf(flatAct),
        choices,
        async (start, batches, chosen) => {
          const { root, open } = newGround();
          for (const act of start) perform(root, act);
          const workspace = await open();
          const { id: to } = await workspace.snapshot();
          const atCheckpoint = leavesIn(root);
          const own: { from: string; to: string }[] = [];
          const changes = new Map<string, Change[]>(FLAT_PATHS.map((path) => [path, []]));
          for (const { by, acts } of batches) {
            const [from, before] = [(await workspace.snapshot()).id, leavesIn(root)];
            for (const act of acts) perform(root, act);
            if (by === 'others') continue;
            own.push({ from, to: (await workspace.snapshot()).id });
            for (const path of FLAT_PATHS) {
              const change = { before: before.get(path), after: leavesIn(root).get(path) };
              if (!isDeepStrictEqual(change.before, change.after)) changes.get(path)!.push(change);
            }
          }
          const now = leavesIn(root);
          await workspace.restore({ to, own, ...chosen });
          const after = leavesIn(root);
          for (const path of FLAT_PATHS) {
            const current = now.get(path);
            const model = wanted(changes.get(path)!, current);
            if (model === 'asked') asked++;
            const back = current ? chosen.on_modified === 'use_checkpoint' : chosen.on_deleted === 'restore';
            const expected = model === 'asked' ? (back ? atCheckpoint : now).get(path) : model;
            expect(after.get(path), path).toEqual(expected);
          }
        },
      )
      .afterEach(newGround.close),
    { numRuns: RUNS, examples: [CONTESTED] },
  );
  expect(asked).toBeGreaterThan(0);
});

test("a merge takes the task's lines out and leaves those of others", async () => {
  let refused = 0;
  const LINES = 24;
  const place = fc.nat(LINES / 4 - 1);
  const goes = fc.array(
    fc.record({
      by: fc.constantFrom('task', 'others'),
      edits: fc.array(fc.tuple(place, fc.constantFrom('', 'x', 'yy', 'two\nlines')), { maxLength: 3 }),
    }),
    { maxLength: 6 },
  );
  await fc.assert(
    fc
      .asyncProperty(goes, async (story) => {
        const { root, open } = newGround();
        const start = Array.from({ length: LINES }, (_, line) => `line ${line}`);
        const [both, theirs] = [[...start], [...start]];
        const write = () => put(root, 'f', `${both.join('\n')}\n`);
        write();
        const workspace = await open();
        const { id: to } = await workspace.snapshot();
        const own: { from: string; to: string }[] = [];
        for (const { by, edits } of story) {
          const from = (await workspace.snapshot()).id;
          for (const [at, text] of edits) {
            // Two lines that nobody changes lie between any of the task's and any of others'.
            both[4 * at + (by === 'task' ? 0 : 2)] = text;
            if (by === 'others') theirs[4 * at + 2] = text;
          }
          write();
          if (by === 'task') own.push({ from, to: (await workspace.snapshot()).id });
        }
        const isRefused = await workspace
          .restore({ to, own, on_modified: 'merge' })
          .then(() => false, unanswered);
        if (isRefused) refused++;
        expect(readFileSync(join(root, 'f'), 'utf8')).toBe(`${(isRefused ? both : theirs).join('\n')}\n`);
      })
      .afterEach(newGround.close),
    { numRuns: RUNS },
  );
  // Where both wrote the same lines a diff can take the one's for the other's, as git's own does: that is asked about.
  expect(refused).toBeLessThanOrEqual(RUNS / 100);
});

function unanswered(error: { code?: string }): true {
  expect(error.code).toBe('RESTORE_UNANSWERED');
  return true;
}
