/** Random stories of a task and of others on the same files, held against a model in memory. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Files, filesIn, filesOf, grounds, putThing, type Thing } from './ground.ts';

const newGround = grounds();

/** Files and links only: directories come and go with what is in them. */
const PATHS = ['a', 'b', 'dir/a', 'dir/b', 'dir/sub/a', 'other/a', 'other/deep/er/a'];
const thing: fc.Arbitrary<Thing> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('file' as const),
      mode: fc.constantFrom(0o644, 0o600, 0o755),
      bytes: fc.constantFrom('', 'one\n', 'two\r\n', '\xff\xfe\x00', 'three\nlines\nhere\n'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('symlink' as const), target: fc.constantFrom('a', 'nowhere') }),
  },
);
const act = fc.record({ path: fc.constantFrom(...PATHS), thing: fc.option(thing, { nil: null }) });
type Act = { path: string; thing: Thing | null };
const batch = fc.record({
  by: fc.constantFrom('task', 'others'),
  acts: fc.array(act, { minLength: 1, maxLength: 4 }),
});

function perform(root: string, { path, thing }: Act): void {
  if (thing) putThing(root, path, thing);
  else if (existsSync(join(root, path)) || path) rmSync(join(root, path), { force: true });
}

const leaves = (files: Files) => new Map([...files].filter(([, { kind }]) => kind !== 'dir'));

describe('a story of a task and of others', () => {
  test('snapshots hold every moment of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(act, { maxLength: 4 }), { maxLength: 6 }), async (moments) => {
        const { root, open } = newGround();
        let workspace = await open();
        const taken: [string, Files][] = [];
        for (const [index, acts] of moments.entries()) {
          for (const one of acts) perform(root, one);
          if (index % 3 === 2) {
            await workspace.close();
            workspace = await open();
          }
          taken.push([(await workspace.snapshot()).id, filesIn(root)]);
        }
        for (const [id, files] of taken) expect(await filesOf(workspace, id)).toEqual(files);
      }),
      { numRuns: 40 },
    );
  });

  test('restoring undoes the task alone, and undoing that brings all back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 6 }),
        fc.array(batch, { maxLength: 5 }),
        async (start, batches) => {
          const { root, open } = newGround();
          for (const one of start) perform(root, one);
          const workspace = await open();
          const { id: to } = await workspace.snapshot();
          const atCheckpoint = leaves(filesIn(root));
          const own: { from: string; to: string }[] = [];
          const touched = { task: new Set<string>(), others: new Set<string>() };
          for (const { by, acts } of batches) {
            const from = (await workspace.snapshot()).id;
            for (const one of acts) {
              perform(root, one);
              touched[by as 'task' | 'others'].add(one.path);
            }
            if (by === 'task') own.push({ from, to: (await workspace.snapshot()).id });
          }
          const before = filesIn(root);
          const result = await workspace.restore({ to, own, on_modified: 'use_current', on_deleted: 'skip' });
          const after = leaves(filesIn(root));
          for (const path of PATHS) {
            if (!touched.task.has(path)) expect(after.get(path), path).toEqual(before.get(path));
            else if (!touched.others.has(path)) expect(after.get(path), path).toEqual(atCheckpoint.get(path));
          }
          expect(result.displaced).toEqual([]);
          expect((await workspace.snapshot()).changes).toEqual([]);
          await workspace.undo(result.undo, { on_modified: 'abort', on_deleted: 'abort' });
          expect(leaves(filesIn(root))).toEqual(leaves(before));
        },
      ),
      { numRuns: 60 },
    );
  });
});
