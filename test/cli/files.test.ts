/** Commands about files and git: a repository in which a task has changed something. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { checkpointsDiff } from '../../src/verbs/look/checkpoints-diff.ts';
import { drift } from '../../src/verbs/look/drift.ts';
import { files } from '../../src/verbs/look/files.ts';
import { locks } from '../../src/verbs/look/locks.ts';
import { newRepository } from '../engine/file-world.ts';
import { onEachStore } from '../engine/stores.ts';
import { misfits } from '../verbs/shapes.ts';
import { git } from '../workspace/ground.ts';
import { ask, cli } from './cli.ts';
import { configure, edits } from './world.ts';

interface Listed {
  readonly checkpoints: readonly { short: string; step_name: string | null; files_changed: number }[];
}

onEachStore(
  (fresh) => {
    let dir: string;
    let task: string;
    let first: string;
    let last: string;

    beforeAll(async () => {
      const store = await fresh();
      dir = store.dir;
      newRepository(dir, { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
      configure(store);
      const engine = await store.open({ workspace: true });
      task = await edits(engine, dir, [
        ['a.txt', 'one\nTWO\nthree\n'],
        ['c.bin', 'x\0y'],
        ['b.txt', null],
      ]);
      await engine.close();
      const { checkpoints } = await ask<Listed>(dir, 'checkpoints', 'list', task);
      first = checkpoints[0]!.short;
      last = checkpoints.at(-1)!.short;
    });

    test('show names the files the task changed', async () => {
      const data = await ask<{ files: object }>(dir, 'show', task);
      expect(data.files).toEqual({
        known: true,
        complete: true,
        in_doubt: [],
        changed: ['a.txt', 'b.txt', 'c.bin'],
      });
      expect((await cli(dir, ['show', task])).out).toMatch(/files +3 changed: a\.txt, b\.txt, c\.bin/);
    });

    test('checkpoints diff tells what lies between two', async () => {
      const data = await ask<{ files: object[] }>(dir, 'checkpoints', 'diff', first, last, '--patch');
      expect(misfits(data, checkpointsDiff.data)).toEqual([]);
      expect(data.files).toMatchObject([
        {
          path: 'a.txt',
          change: 'modified',
          by: ['task'],
          added: 1,
          removed: 1,
          patch: '@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three',
        },
        { path: 'b.txt', change: 'deleted', patch: '@@ -1,1 +0,0 @@\n-b' },
        { path: 'c.bin', change: 'created', binary: true, added: null, patch: null },
      ]);
      const { out } = await cli(dir, ['checkpoints', 'diff', first, last]);
      expect(out).toMatch(
        /^\d steps?, .*\n3 files differ {2}\+1 −2\n {2}M a\.txt {2}\+1 −1 {2}task\n {2}D b\.txt {2}−1 {2}task\n {2}A c\.bin {2}binary · task\n$/,
      );
    });

    test('files lists what had changed, everything, or one file as it was', async () => {
      const all = await ask<{ files: { path: string }[] }>(dir, 'files', first, '--all');
      expect(misfits(all, files.data)).toEqual([]);
      expect(all.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.txt', 'b.txt']));
      const { checkpoints } = await ask<Listed>(dir, 'checkpoints', 'list', task);
      const changed = checkpoints.find(({ files_changed }) => files_changed > 0)!.short;
      expect((await cli(dir, ['files', changed])).out).toMatch(/^M +14 B +a\.txt \(by: step\)\n$/);
      expect((await cli(dir, ['files', last, '--show', 'a.txt'])).out).toBe('one\nTWO\nthree\n');
      expect((await cli(dir, ['files', first, '--show', 'a.txt'])).out).toBe('one\ntwo\nthree\n');
      const binary = await ask(dir, 'files', last, '--show', 'c.bin');
      expect(binary).toMatchObject({ encoding: 'base64', content: Buffer.from('x\0y').toString('base64') });
      const { snapshot } = await ask<{ snapshot: string }>(dir, 'files', last);
      const alone = await ask<{ files: { path: string }[] }>(dir, 'files', snapshot);
      expect(misfits(alone, files.data)).toEqual([]);
      expect(alone).toEqual({ ...(await ask<object>(dir, 'files', last, '--all')), checkpoint: null });
      expect((await cli(dir, ['files', snapshot, '--show', 'a.txt'])).out).toBe('one\nTWO\nthree\n');
      const gone = await cli(dir, ['files', `snapshot/${'0'.repeat(64)}`]);
      expect([gone.exit, gone.err]).toEqual([1, expect.stringContaining('SNAPSHOT_NOT_FOUND')]);
      const none = await cli(dir, ['files', last, '--show', 'a.tx']);
      expect(none.exit).toBe(2);
      expect(none.err).toContain('Did you mean "a.txt"?');
    });

    test('checkpoints inspect notices what others changed', async () => {
      writeFileSync(join(dir, 'a.txt'), 'somebody else\n');
      const { out } = await cli(dir, ['checkpoints', 'inspect', last]);
      expect(out).toContain('Its task can resume from it once you say what to do:');
      expect(out).toContain('Changed since it was made: a.txt.');
      expect(out).toContain(
        `Say it with --on-modified, --on-deleted: vibe-engine checkpoints resume ${last}\n`,
      );
      expect(await ask(dir, 'checkpoints', 'inspect', last)).toMatchObject({
        can_resume: false,
        needs_answer: ['--on-modified', '--on-deleted'],
      });
    });

    test('a question about a file names the flag for all, and for this one', async () => {
      writeFileSync(join(dir, 'a.txt'), 'somebody else\n');
      const said = await cli(dir, ['undo', task, '--yes', '--on-deleted', 'skip']);
      expect(said.err).toContain(
        '--on-modified use_current|use_checkpoint|merge|abort, or for this file alone with --on-modified a.txt=use_current.',
      );
      writeFileSync(join(dir, 'a.txt'), 'one\nTWO\nthree\n');
    });

    test('drift tells where the task is in git', async () => {
      const data = await ask<{ tasks: object[] }>(dir, 'drift');
      expect(misfits(data, drift.data)).toEqual([]);
      const head = git(dir, 'rev-parse', 'HEAD').trim();
      expect(data.tasks).toMatchObject([{ task, head, upstream: null, commits_behind: 0 }]);
      const { out } = await cli(dir, ['drift', task, '--stored']);
      expect(out).toContain('There is no upstream to compare with.');
      expect((await cli(dir, ['drift', 'nothing'])).exit).toBe(1);
    });

    test('locks shows who holds what', async () => {
      expect((await cli(dir, ['locks'])).out).toBe('No task is running.\nNo file is reserved.\n');
      expect(misfits(await ask(dir, 'locks'), locks.data)).toEqual([]);
    });

    test('a diff names its steps as entry takes them, those of the task it was forked from with that task', async () => {
      const { out } = await cli(dir, ['checkpoints', 'diff', first, last, '--patch']);
      const seq = /^@@ -1,3 \+1,3 @@ task, step change a\.txt \((\d+)\)$/m.exec(out)![1]!;
      expect(await ask(dir, 'entry', task, seq)).toMatchObject({ kind: 'step', files: ['a.txt'] });
      const { task: id } = await ask<{ task: string }>(dir, 'fork', last);
      const forked = await cli(dir, ['checkpoints', 'diff', 'start', 'now', '--task', id, '--patch']);
      const parent = first.slice(0, first.lastIndexOf('-'));
      expect(forked.out).toContain(`@@ -1,3 +1,3 @@ task, step change a.txt (${parent} ${seq})`);
    });
  },
  ['json', 'sqlite'],
);
