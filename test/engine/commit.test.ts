/** `task.commit`: the task's own files and no others, once, with the user's hooks. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withTrailers } from '../../src/drift/commit.ts';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { newTaskId } from '../../src/system/ids.ts';
import { sweepTempDirs } from '../../src/system/user/temp.ts';
import { type Clone, groundAt, pushed } from '../drift/ground.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { COMMITTING } from './committing.ts';

const tempDir = tempDirs();
const CHILD = join(import.meta.dirname, 'commit-child.ts');

/** Runs it as a task; answers the engine, open until the test is over. */
async function running<T>(
  work: Clone,
  run: (task: TaskContext) => Promise<T>,
  use: (outcome: unknown, id: string, engine: Engine) => Promise<void> | void,
): Promise<void> {
  const definition = defineTask('committing', run);
  const engine = await openEngine({
    project_dir: work.dir,
    workspace: true,
    signals: false,
    tasks: [definition],
  });
  try {
    const { id, outcome } = await engine.start(definition, undefined);
    await use(await outcome, id, engine);
  } finally {
    await engine.close();
  }
}

function hook(work: Clone, name: string, script: string): void {
  work.put(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(work.dir, '.git/hooks', name), 0o755);
}

describe('task.commit', () => {
  test("commits what the task did, and leaves a person's work, staged or not, as it is", async () => {
    const { work } = groundAt(tempDir(), {
      'a.txt': 'one\n',
      'theirs.txt': 'one\n',
      'staged.txt': 'one\n',
      'gone.txt': 'one\n',
      '.gitignore': '*.log\n',
    });
    work.put('theirs.txt', 'a person\n');
    work.put('staged.txt', 'a person\n');
    work.git('add', 'staged.txt');
    work.put('untracked.txt', 'a person\n');
    const run = async (task: TaskContext) => {
      await task.files.write('a.txt', 'two\n');
      await task.files.write('dir/new [1].txt', 'new\n');
      await task.files.delete('gone.txt');
      await task.shell('echo noise > run.log; echo shell > by-shell.txt');
      const committed = await task.commit('Do it\n\nFor a reason.');
      return [committed, await task.commit('Nothing is left')];
    };
    await running(work, run, async (outcome, id, engine) => {
      const commit = work.git('rev-parse', 'HEAD');
      const files = ['a.txt', 'by-shell.txt', 'dir/new [1].txt', 'gone.txt'];
      expect(outcome).toEqual({ status: 'completed', output: [{ commit, files }, null] });
      expect(work.git('show', '--format=', '--name-status', 'HEAD')).toBe(
        'M\ta.txt\nA\tby-shell.txt\nA\tdir/new [1].txt\nD\tgone.txt',
      );
      expect(work.git('status', '--porcelain')).toBe('M  staged.txt\n M theirs.txt\n?? untracked.txt');
      const checkpoints = (await engine.checkpoints.listCheckpoints(id)).map(({ id: name }) => name);
      const named = /Vibe-Engine-Checkpoint: (.+)/.exec(work.git('log', '-1', '--format=%B'))![1]!;
      expect(checkpoints).toContain(named);
      expect(work.git('log', '-1', '--format=%B')).toBe(
        `Do it\n\nFor a reason.\n\nVibe-Engine-Task: ${id}\nVibe-Engine-Step: /commit#1\nVibe-Engine-Checkpoint: ${named}`,
      );
      expect(await engine.versions(id)).toMatchObject({
        current_head: commit,
        drift_events: [
          { type: 'local_change', details: { files: ['staged.txt', 'theirs.txt', 'untracked.txt'] } },
        ],
      });
    });
  });

  test.each([
    ['One line', 'One line\n\nA: b\n'],
    ['Fix: this', 'Fix: this\n\nA: b\n'],
    ['Do it\n\nWith: a reason\nand more', 'Do it\n\nWith: a reason\nand more\n\nA: b\n'],
    ['Do it\n\nCo-authored-by: Ada <a@b>\n\n', 'Do it\n\nCo-authored-by: Ada <a@b>\nA: b\n'],
    ['Do it\n---\nor not', 'Do it\n---\nor not\n\nA: b\n'],
    ['# One\n\n# Two', '# One\n\n# Two\n\nA: b\n'],
  ])('puts trailers at the end of %j', (message, whole) => {
    expect(withTrailers(message, ['A: b'])).toBe(whole);
  });

  test('runs the hooks, which may change what is committed', async () => {
    const { work } = groundAt(tempDir());
    hook(work, 'pre-commit', "sed -i 's/x/y/' a.txt && git add a.txt");
    hook(work, 'commit-msg', 'echo "Checked-by: hook" >> "$1"');
    await running(
      work,
      async (task) => {
        await task.files.write('a.txt', 'x\n');
        await task.commit('Do it');
      },
      () => {
        expect(work.git('show', 'HEAD:a.txt')).toBe('y');
        expect(work.git('log', '-1', '--format=%B')).toContain('Checked-by: hook');
        expect(work.git('status', '--porcelain')).toBe('');
      },
    );
  });

  test('is refused by a hook, and leaves the index as it was', async () => {
    const { work } = groundAt(tempDir());
    hook(work, 'pre-commit', 'echo "not like this"; exit 1');
    const head = work.git('rev-parse', 'HEAD');
    const run = async (task: TaskContext) => {
      await task.files.write('new.txt', 'x\n');
      await task.commit('Do it');
    };
    await running(work, run, (outcome) => {
      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'COMMIT_REFUSED', data: { complaint: 'not like this' } },
      });
      expect(work.git('rev-parse', 'HEAD')).toBe(head);
      expect(work.git('status', '--porcelain')).toBe('?? new.txt');
    });
  });

  test('is refused while a merge is in progress, inside a step, and without a message', async () => {
    const { work } = groundAt(tempDir());
    work.git('switch', '-qc', 'side');
    work.commit('side', { 'b.txt': 'side\n' });
    work.git('switch', '-q', 'main');
    work.commit('main', { 'b.txt': 'main\n' });
    work.tries('merge', 'side');
    const run = async (task: TaskContext) => {
      await task.files.write('a.txt', 'two\n');
      const refusals = [];
      for (const attempt of [
        () => task.commit('Do it'),
        () => task.step('inside', () => task.commit('Do it')),
        () => task.commit(' '),
      ])
        refusals.push(await attempt().catch((error) => error.code));
      return refusals;
    };
    await running(work, run, (outcome) => {
      expect(outcome).toMatchObject({ output: ['COMMIT_REFUSED', 'USAGE', 'USAGE'] });
      expect(work.git('rev-parse', 'MERGE_HEAD')).toBe(work.git('rev-parse', 'side'));
    });
  });

  test('waits for a git process that is at work, and names the lock that one has left', async () => {
    const { work } = groundAt(tempDir());
    const lock = join(work.dir, '.git/index.lock');
    work.put('.git/index.lock', '');
    const run = async (task: TaskContext) => {
      await task.files.write('a.txt', 'two\n');
      const refused = await task.commit('Do it').catch((error) => error.data.lock);
      setTimeout(() => rmSync(lock), 300); // Still there when it is tried again.
      return [refused, await task.commit('Do it now')];
    };
    await running(work, run, (outcome) => {
      expect(outcome).toMatchObject({ status: 'completed', output: [lock, { files: ['a.txt'] }] });
      expect(work.git('status', '--porcelain')).toBe('');
    });
  });

  test('says so where the index stays locked after it', async () => {
    const { work } = groundAt(tempDir());
    hook(work, 'post-commit', 'touch .git/index.lock');
    const definition = defineTask('committing', async (task) => {
      await task.files.write('a.txt', 'two\n');
      return task.commit('Do it');
    });
    const told: string[] = [];
    const engine = await openEngine({
      ...{ project_dir: work.dir, workspace: true, signals: false, tasks: [definition] },
      notify: (lines) => void told.push(...lines),
    });
    try {
      expect(await engine.run(definition, undefined)).toMatchObject({ files: ['a.txt'] });
      expect(told.join()).toContain(
        'kept the index locked, so the index still has the old versions staged: a.txt',
      );
    } finally {
      await engine.close();
    }
  });

  test('takes what a link has taken the place of as gone', async () => {
    const { work } = groundAt(tempDir(), { 'dir/a.txt': 'a\n', 'other/a.txt': 'a\n' });
    const run = async (task: TaskContext) => {
      await task.shell('rm -r dir && ln -s other dir');
      return task.commit('Link them');
    };
    await running(work, run, (outcome) => {
      expect(outcome).toMatchObject({ status: 'completed', output: { files: ['dir', 'dir/a.txt'] } });
      expect(work.git('status', '--porcelain')).toBe('');
    });
  });

  test('pauses the task where upstream collides, and commits once that is decided', async () => {
    const ground = groundAt(tempDir());
    const { work } = ground;
    const head = work.git('rev-parse', 'HEAD');
    const run = async (task: TaskContext) => {
      await task.files.write('a.txt', 'mine\n');
      return task.commit('Do it');
    };
    pushed(ground, 'theirs', { 'a.txt': 'theirs\n' });
    await running(work, run, async (outcome, id, engine) => {
      expect(outcome).toEqual({ status: 'paused', reason: 'upstream moved (severity high)' });
      expect(work.git('rev-parse', 'HEAD')).toBe(head);
      const { outcome: end } = await engine.resume(id, { on_upstream: 'ignore' });
      expect(await end).toMatchObject({ status: 'completed', output: { files: ['a.txt'] } });
      expect(work.git('rev-parse', 'HEAD^')).toBe(head);
    });
  });

  test('what the task commits and switches by itself in a shell is no drift', async () => {
    const { work } = groundAt(tempDir());
    const run = async (task: TaskContext) => {
      await task.shell('git switch -qc feature && echo two > a.txt && git commit -qam shell');
      await task.files.write('b.txt', 'b\n');
      return task.commit('Do it');
    };
    await running(work, run, async (outcome, id, engine) => {
      expect(outcome).toMatchObject({ status: 'completed', output: { files: ['b.txt'] } });
      expect(work.git('log', '--format=%s')).toBe('Do it\nshell\nbegin');
      expect(await engine.versions(id)).toMatchObject({
        branch: 'feature',
        current_head: work.git('rev-parse', 'HEAD'),
        drift_events: [],
      });
    });
  });

  test.each(['pre-commit', 'post-commit'])('is made once, also when the process dies at %s', async (name) => {
    const { work } = groundAt(tempDir());
    const pid = join(work.dir, '../pid');
    // The second time.
    hook(work, name, `test -e ../once && { echo $PPID > ../git; kill -9 $(cat ${pid}); }; touch ../once`);
    const id = newTaskId();
    const { signal } = spawnSync(process.execPath, [CHILD, work.dir, pid, id], {
      env: { ...process.env, TMPDIR: tempDir() }, // What it leaves there goes with it.
    });
    expect(signal).toBe('SIGKILL');
    const git = Number(readFileSync(join(work.dir, '../git'), 'utf8')); // It outlives its parent, and finishes.
    await until(() => expect(() => process.kill(git, 0)).toThrow());
    rmSync(join(work.dir, '.git/hooks', name));
    const options = { project_dir: work.dir, workspace: true, signals: false, tasks: [COMMITTING] };
    const engine = await openEngine(options);
    try {
      const { outcome } = await engine.resume(id);
      const ended = await outcome;
      const [second, first] = work.git('log', '--format=%H', '-2').split('\n');
      expect(ended).toEqual({ status: 'completed', output: [first, second] });
      expect(work.git('log', '--format=%s')).toBe(
        'The same words each time\nThe same words each time\nbegin',
      );
      expect(work.git('show', '--format=', '--name-only', 'HEAD')).toBe('second.txt');
      expect(work.git('status', '--porcelain')).toBe('');
    } finally {
      await engine.close();
    }
  });
});

test('the index of a commit outlives its process, since git may still run hooks with it; other leftovers go', () => {
  const source = join(import.meta.dirname, '../../src/system/user/temp.ts');
  const program = `const { makeTempDir } = await import(${JSON.stringify(source)});
    console.log(['ve-commit', 've-other'].map((name) => makeTempDir(name)).join('\\n'));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  const [index, other] = stdout.trim().split('\n') as [string, string];
  sweepTempDirs();
  expect([existsSync(index), existsSync(other)]).toEqual([true, false]);
  rmSync(index, { recursive: true });
});
