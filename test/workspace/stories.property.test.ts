/** Random stories held against a model in memory: what the files were at each moment. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unlessFull } from '../support/full.ts';
import { type Files, filesIn, filesOf, grounds } from './ground.ts';
import { batchesOf, flatAct, leavesIn, nestedAct, perform } from './stories.ts';

const newGround = grounds();
const RUNS = Number(process.env.STORIES ?? unlessFull(6, 40));

test('snapshots hold every moment, watched or not, in one process or several', async () => {
  const moments = fc.array(
    fc.record({
      acts: fc.array(nestedAct, { maxLength: 4 }),
      next: fc.constantFrom('go on', 'go on', 'open it again', 'watch'),
    }),
    { maxLength: 7 },
  );
  await fc.assert(
    fc
      .asyncProperty(moments, async (story) => {
        const { root, open } = newGround();
        let workspace = await open();
        let before = filesIn(root);
        const taken: [string, Files][] = [];
        for (const { acts, next } of story) {
          for (const act of acts) perform(root, act);
          if (next === 'watch') await workspace.watch();
          if (next === 'open it again') {
            await workspace.close();
            workspace = await open();
          }
          const now = filesIn(root);
          const { id, changes } = await workspace.snapshot();
          if (next !== 'watch' && taken.length > 0)
            expect(changes.map(({ path }) => path)).toEqual(differing(before, now));
          taken.push([id, now]);
          before = now;
        }
        for (const [id, files] of taken) expect(await filesOf(workspace, id)).toEqual(files);
        for (const [from, was] of taken)
          for (const [to, is] of taken)
            expect((await workspace.diff(from, to)).map(({ path }) => path)).toEqual(differing(was, is));
      })
      .afterEach(newGround.close),
    { numRuns: RUNS },
  );
});

test('restoring undoes what only the task changed and leaves what only others did, whatever is in the way', async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(nestedAct, { maxLength: 6 }), batchesOf(nestedAct), async (start, batches) => {
        const { root, open } = newGround();
        for (const act of start) perform(root, act);
        const workspace = await open();
        const { id: to } = await workspace.snapshot();
        const atCheckpoint = leavesIn(root);
        const own: { from: string; to: string }[] = [];
        const changed = { task: new Set<string>(), others: new Set<string>() };
        for (const { by, acts } of batches) {
          const before = filesIn(root);
          const from = (await workspace.snapshot()).id;
          for (const act of acts) perform(root, act);
          for (const path of differing(before, filesIn(root))) changed[by].add(path);
          if (by === 'task') own.push({ from, to: (await workspace.snapshot()).id });
        }
        const now = leavesIn(root);
        const result = await workspace.restore({ to, own, on_modified: 'use_current', on_deleted: 'skip' });
        const after = leavesIn(root);
        const by = (who: 'task' | 'others', path: string) =>
          [...changed[who]].some((other) => isRelated(path, other));
        for (const path of new Set([...atCheckpoint.keys(), ...now.keys(), ...after.keys()])) {
          if (!by('task', path)) expect(after.get(path), path).toEqual(now.get(path));
          else if (!by('others', path)) expect(after.get(path), path).toEqual(atCheckpoint.get(path));
        }
        expect(result.displaced).toEqual([]);
        expect((await workspace.snapshot({ full: true })).changes).toEqual([]);
        await workspace.undo(result.undo, { on_modified: 'abort', on_deleted: 'abort' });
        expect(leavesIn(root)).toEqual(now);
      })
      .afterEach(newGround.close),
    { numRuns: RUNS },
  );
});

test('the same story told to a second workspace gives the same files', async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(flatAct, { maxLength: 8 }), async (acts) => {
        const [one, other] = [newGround(), newGround()];
        for (const { root } of [one, other]) for (const act of acts) perform(root, act);
        const [first, second] = [await one.open(), await other.open()];
        const { id } = await first.snapshot();
        expect((await second.snapshot()).id).toBe(id);
      })
      .afterEach(newGround.close),
    { numRuns: 10 },
  );
});

/** The paths at which they differ, in order. */
function differing(a: Files, b: Files): string[] {
  const paths = new Set([...a.keys(), ...b.keys()]);
  return [...paths].filter((path) => !isDeepStrictEqual(a.get(path), b.get(path))).sort();
}

/** One of them is the other, or lies in it. */
function isRelated(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
