/** `task.files` and `task.shell`: remembered, merged, refused; on each store. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileWritten, ShellResult, TaskContext } from '../../src/engine/api/context.ts';
import { defineTask, type TaskDefinition } from '../../src/engine/api/definition.ts';
import { promptResolver } from '../../src/workspace/resolve/command.ts';
import { liveOf } from './letters.ts';
import { latch } from './setup.ts';
import { onEachStore, type Store } from './stores.ts';

const TEXT = 'one\n2\n3\n4\n5\nsix\n';

function folderIn({ dir }: Store) {
  return {
    read: (path: string) => (existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : null),
    write: (path: string, content: string) => {
      mkdirSync(join(dir, path, '..'), { recursive: true });
      writeFileSync(join(dir, path), content);
    },
    remove: (path: string) => rmSync(join(dir, path)),
  };
}

/** Runs a task until it has written its first file, and stops it before that is recorded. Answers its id. */
async function cutOff(store: Store, definition: TaskDefinition<undefined, FileWritten>): Promise<string> {
  const made = latch();
  const beforeCheckpoint = async ({ trigger }: { trigger: string }) => {
    if (trigger !== 'after_file_change') return undefined;
    made.resolve();
    return new Promise<never>(() => {});
  };
  const engine = await store.open({ workspace: true, hooks: { beforeCheckpoint } });
  const { id } = await engine.start(definition, undefined);
  await made.promise;
  await engine.close();
  return id;
}

onEachStore((fresh) => {
  test('files are read, written, edited and deleted once; what others changed elsewhere is merged in', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('a.txt', TEXT);
    const engine = await store.open({ workspace: true });
    const done = await engine.run(
      defineTask('works', async ({ files }) => {
        const text = await files.read('a.txt');
        folder.write('a.txt', TEXT.replace('six', 'SIX'));
        const merged = await files.write('./a.txt', text!.replace('one', 'ONE'));
        const edited = await files.edit('a.txt', (now) => now.replace('3', 'three'));
        const made = await files.write('new/b.txt', 'b\n');
        const gone = await files.delete('new/b.txt');
        return [merged, edited, made, gone, { status: await files.read('new/b.txt') }];
      }),
      undefined,
    );
    expect(done.map(({ status }) => status)).toEqual(['merged', 'written', 'written', 'written', null]);
    expect(done[0]).toMatchObject({ path: 'a.txt', status: 'merged' });
    expect(folder.read('a.txt')).toBe('ONE\n2\nthree\n4\n5\nSIX\n');
  });

  test('a conflict is reported with a copy that has markers; the file stays as the others left it', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('a.txt', TEXT);
    folder.write('b.txt', TEXT);
    const engine = await store.open({ workspace: true });
    const errors: { code: string; data: { copy: string; path: string } }[] = [];
    await engine.run(
      defineTask('collides', async ({ files }) => {
        for (const path of ['a.txt', 'b.txt']) await files.read(path);
        folder.write('a.txt', TEXT.replace('one', 'theirs'));
        folder.remove('b.txt');
        for (const path of ['a.txt', 'b.txt'])
          await files.write(path, TEXT.replace('one', 'ours')).catch((error) => errors.push(error));
        await files.read('a.txt');
        await files.write('a.txt', TEXT.replace('one', 'both'));
      }),
      undefined,
    );
    expect(errors).toMatchObject([
      { code: 'FILE_CONFLICT', data: { path: 'a.txt', why: 'both changed the same lines' } },
      { code: 'FILE_CONFLICT', data: { path: 'b.txt', why: 'they removed it' } },
    ]);
    const copy = readFileSync(errors[0]!.data.copy, 'utf8');
    expect(copy).toContain("<<<<<<< OURS (the agent's change)\nours\n");
    expect(copy).toContain('theirs\n>>>>>>> THEIRS (the outside change)\n');
    expect(errors[0]!.data.copy.startsWith(join(store.dir, '.vibe-engine', 'conflicts'))).toBe(true);
    expect(folder.read('b.txt')).toBeNull();
    expect(folder.read('a.txt')).toBe(TEXT.replace('one', 'both'));
  });

  test('resolvers are asked what to do, with what the agent wants', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('a.txt', TEXT);
    const prompts: string[] = [];
    const resolver = promptResolver('model', async (prompt) => {
      prompts.push(prompt);
      return TEXT.replace('one', 'ours and theirs');
    });
    const engine = await store.open({ workspace: { resolvers: [resolver] } });
    const written = await engine.run(
      defineTask('collides', async ({ files }) => {
        await files.read('a.txt');
        folder.write('a.txt', TEXT.replace('one', 'theirs'));
        return files.write('a.txt', TEXT.replace('one', 'ours'), { intent: 'to rename it' });
      }),
      undefined,
    );
    expect(written).toMatchObject({ status: 'resolved', by: 'model' });
    expect(prompts[0]).toContain('What the agent intends: to rename it');
    expect(folder.read('a.txt')).toBe(TEXT.replace('one', 'ours and theirs'));
  });

  test('what an agent has reserved nobody else writes', async () => {
    const store = await fresh();
    const engine = await store.open({ workspace: true });
    const result = await engine.run(
      defineTask('shares', async (task) => {
        const [holding, over] = [latch(), latch()];
        const first = task.agent('first', { files: ['src/**'] }, async (agent) => {
          await agent.files.write('src/a.ts', 'a');
          holding.resolve();
          await over.promise;
        });
        await holding.promise;
        const refused = await task.files.write('src/a.ts', 'b').catch(({ code }) => code);
        over.resolve();
        await first;
        return refused;
      }),
      undefined,
    );
    expect(result).toBe('FILE_RESERVED');
    expect(folderIn(store).read('src/a.ts')).toBe('a');
  });

  test('agents that edit a file at the same time edit it one after the other', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('log.md', '# Log\n');
    const engine = await store.open({ workspace: true });
    const names = ['a', 'b', 'c', 'd'];
    const append = defineTask('append', (task) =>
      Promise.all(
        names.map((name) =>
          task.agent(name, (agent) =>
            agent.files.edit('log.md', async (log) => {
              await new Promise(setImmediate); // The others have read it by then, if they may.
              return `${log}- ${name}\n`;
            }),
          ),
        ),
      ),
    );
    await engine.run(append, undefined);
    expect(folder.read('log.md')!.trimEnd().split('\n').toSorted()).toEqual([
      '# Log',
      ...names.map((name) => `- ${name}`),
    ]);
  });

  test('a file is read by many, or written by one', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    for (const name of ['mine.ts', 'api.ts', 'other.ts']) folder.write(name, name);
    const engine = await store.open({ workspace: true });
    const codes = await engine.run(
      defineTask('shares', async (task) => {
        const [holding, over] = [latch(), latch()];
        const codeOf = (error: { code: string }) => error.code;
        const first = task.agent('first', { files: ['mine.ts'], reads: ['api.ts'] }, async (agent) => {
          expect(await agent.files.read('mine.ts')).toBe('mine.ts');
          expect(await agent.agent('helper', (helper) => helper.files.read('mine.ts'))).toBe('mine.ts');
          holding.resolve();
          await over.promise;
        });
        await holding.promise;
        const found = [
          await task.files.read('api.ts'),
          await task.agent('reads too', { reads: ['api.ts'] }, (agent) => agent.files.read('api.ts')),
          await task.files.read('mine.ts').catch(codeOf),
          await task.files.write('api.ts', 'new').catch(codeOf),
          await task.files.edit('mine.ts', () => 'new').catch(codeOf),
          await task.agent('writes', { files: ['*.ts'] }, () => 'ran').catch(codeOf),
          await task.agent('reads', { files: ['other.ts'], reads: ['mine.ts'] }, () => 'ran').catch(codeOf),
          // What was refused left nothing reserved.
          await task.agent('other', { files: ['other.ts'] }, () => 'ran').catch(codeOf),
        ];
        over.resolve();
        await first;
        return [...found, await task.files.read('mine.ts')];
      }),
      undefined,
    );
    const refused = 'FILE_RESERVED';
    expect(codes).toEqual([
      'api.ts',
      'api.ts',
      refused,
      refused,
      refused,
      refused,
      refused,
      'ran',
      'mine.ts',
    ]);
  });

  test('a write that another is in the middle of is waited for', async () => {
    const store = await fresh();
    folderIn(store).write('a.txt', TEXT);
    const writing = latch();
    const slow = promptResolver('slow', async () => {
      writing.resolve();
      await new Promise((resolve) => setTimeout(resolve, 150));
      return TEXT.replace('one', 'both');
    });
    const engine = await store.open({ workspace: { resolvers: [slow] } });
    const found = await engine.run(
      defineTask('waits', async (task) => {
        const written = task.agent('writer', async ({ files }) => {
          await files.read('a.txt');
          folderIn(store).write('a.txt', TEXT.replace('one', 'theirs'));
          await files.write('a.txt', TEXT.replace('one', 'ours'));
        });
        await writing.promise;
        const read = await task.agent('reader', ({ files }) => files.read('a.txt'));
        await written;
        return read;
      }),
      undefined,
    );
    expect(found).toBe(TEXT.replace('one', 'both'));
  });

  test('how a conflict was resolved is remembered once it is in the file, not before', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('a.txt', TEXT);
    const recorded: string[][] = [];
    let first = true;
    const resolver = promptResolver('model', async () => {
      recorded.push(await engine.storage.list('resolutions'));
      if (first) folder.write('a.txt', TEXT.replace('one', 'quicker'));
      first = false;
      return TEXT.replace('one', 'settled');
    });
    const engine = await store.open({ workspace: { resolvers: [resolver] } });
    await engine.run(
      defineTask('collides', async ({ files }) => {
        await files.read('a.txt');
        folder.write('a.txt', TEXT.replace('one', 'theirs'));
        return files.write('a.txt', TEXT.replace('one', 'ours'));
      }),
      undefined,
    );
    expect(recorded).toEqual([[], []]);
    expect(await engine.storage.list('resolutions')).toHaveLength(1);
    expect(folder.read('a.txt')).toBe(TEXT.replace('one', 'settled'));
  });

  test('a resumed task starts from what it had read, and writes nothing twice', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('a.txt', TEXT);
    folder.write('log.txt', '');
    const reached = latch();
    let first = true;
    const run = async (task: TaskContext): Promise<FileWritten> => {
      const text = await task.files.read('a.txt');
      await task.files.edit('log.txt', (log) => `${log}began\n`);
      if (first) {
        reached.resolve();
        await new Promise(() => {});
      }
      return task.files.write('a.txt', text!.replace('one', 'ONE'));
    };
    const definition = defineTask('goes on', run);
    const before = await store.open({ workspace: true });
    const { id } = await before.start(definition, undefined);
    await reached.promise;
    await before.close();
    first = false;
    folder.write('a.txt', TEXT.replace('six', 'SIX'));
    const engine = await store.open({ workspace: true, tasks: [definition] });
    expect(await (await engine.resume(id)).result).toMatchObject({ status: 'merged' });
    expect(folder.read('a.txt')).toBe(TEXT.replace('one', 'ONE').replace('six', 'SIX'));
    expect(folder.read('log.txt')).toBe('began\n');
  });

  test('an edit that was cut off after it was made is not made again', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('log.txt', '');
    const definition = defineTask('edits', ({ files }) => files.edit('log.txt', (log) => `${log}once\n`));
    const id = await cutOff(store, definition);
    expect(folder.read('log.txt')).toBe('once\n');
    const engine = await store.open({ workspace: true, tasks: [definition] });
    expect(await (await engine.resume(id)).result).toMatchObject({ status: 'unchanged' });
    expect(folder.read('log.txt')).toBe('once\n');
  });

  test('an edit that was cut off is made on what another agent has left there meanwhile', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('log.txt', '# Log\n');
    const [first, second, waits] = [latch(), latch(), latch()];
    let isCut = true;
    const definition = defineTask('both', async (task) => {
      const edit = (name: string, work: () => Promise<unknown>) =>
        task.agent(name, ({ files }) =>
          files.edit('log.txt', async (text) => {
            await work();
            return `${text}${name}\n`;
          }),
        );
      const quick = edit('quick', async () => {
        first.resolve();
        if (isCut) await second.promise;
      });
      if (isCut) await first.promise;
      const slow = edit('slow', async () => {
        waits.resolve();
        if (isCut) await new Promise(() => {});
      });
      await Promise.all([quick, slow]);
    });
    const engine = await store.open({ workspace: true });
    const { id } = await engine.start(definition, undefined);
    const entries = async (kind: string): Promise<number> =>
      (await liveOf(engine, id)).filter(({ entry }) => entry.t === kind).length;
    // The second has begun and waits for its turn: it starts after the first has ended.
    await expect.poll(() => entries('begin')).toBe(2);
    second.resolve();
    await waits.promise;
    await expect.poll(() => entries('step')).toBe(1);
    await engine.close();
    isCut = false;
    const again = await store.open({ workspace: true, tasks: [definition] });
    await (await again.resume(id)).result;
    expect(folder.read('log.txt')).toBe('# Log\nquick\nslow\n');
  });

  test('an edit of what is ignored is made once, also when it was cut off', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('.gitignore', 'dist/\n');
    folder.write('dist/log.txt', '');
    const definition = defineTask('edits', ({ files }) =>
      files.edit('dist/log.txt', (log) => `${log}line\n`),
    );
    const id = await cutOff(store, definition);
    const engine = await store.open({ workspace: true, tasks: [definition] });
    expect(await (await engine.resume(id)).result).toMatchObject({ status: 'unchanged' });
    expect(folder.read('dist/log.txt')).toBe('line\n');
  });

  test('what a person did to a file after a write to it was cut off is not written over', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    const resumed = async (work: (task: TaskContext) => Promise<FileWritten>, meanwhile: () => void) => {
      const definition = defineTask('writes', work);
      const id = await cutOff(store, definition);
      meanwhile();
      const engine = await store.open({ workspace: true, tasks: [definition] });
      return (await engine.resume(id)).result.catch(({ code }: { code: string }) => code);
    };
    folder.write('a.txt', TEXT);
    const ours = TEXT.replace('one', 'ONE');
    const merged = await resumed(
      ({ files }) => files.write('a.txt', ours),
      () => folder.write('a.txt', ours.replace('six', 'SIX')),
    );
    expect(merged).toMatchObject({ status: 'merged' });
    expect(folder.read('a.txt')).toBe(ours.replace('six', 'SIX'));

    folder.write('b.txt', TEXT);
    const conflict = await resumed(
      ({ files }) => files.write('b.txt', 'ours\n'),
      () => folder.write('b.txt', 'ours\nand theirs\n'),
    );
    expect(conflict).toBe('FILE_CONFLICT');
    expect(folder.read('b.txt')).toBe('ours\nand theirs\n');

    folder.write('c.txt', TEXT);
    const removed = await resumed(
      ({ files }) => files.delete('c.txt'),
      () => folder.write('c.txt', 'made anew\n'),
    );
    expect(removed).toBe('FILE_CONFLICT');
    expect(folder.read('c.txt')).toBe('made anew\n');
  });

  test('a write that was cut off and ended in a conflict does not write over it when the task is resumed again', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('a.txt', TEXT);
    const definition = defineTask('writes', ({ files }) => files.write('a.txt', 'ours\n'));
    const id = await cutOff(store, definition);
    folder.write('a.txt', 'ours\nand theirs\n');
    const codes: string[] = [];
    for (let again = 0; again < 3; again++) {
      const engine = await store.open({ workspace: true, tasks: [definition] });
      const { result } = await engine.resume(id, { on_modified: 'use_current' });
      await result.catch(({ code }: { code: string }) => codes.push(code));
      await engine.close();
      expect(folder.read('a.txt')).toBe('ours\nand theirs\n');
    }
    expect(codes).toEqual(['FILE_CONFLICT', 'FILE_CONFLICT', 'FILE_CONFLICT']);
    folder.write('a.txt', TEXT); // As the task found it first: nothing of theirs is left to keep.
    const engine = await store.open({ workspace: true, tasks: [definition] });
    const { result } = await engine.resume(id, { on_modified: 'use_current' });
    expect(await result).toMatchObject({ status: 'written' });
  });

  test('a command runs once, its output is a tool output, its files are put back by a rollback', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    folder.write('a.txt', 'a\n');
    const engine = await store.open({ workspace: true });
    let target = '';
    const { id, outcome } = await engine.start(
      defineTask('runs', async (task): Promise<ShellResult> => {
        target = await task.checkpoint();
        const done = await task.shell('cat; echo made > new.txt; echo x >> a.txt; echo no >&2; exit 3', {
          input: 'in',
        });
        const plain = await task.shell(['printenv', 'GREETING'], { env: { GREETING: 'hello' } });
        expect(plain).toMatchObject({ code: 0, stdout: 'hello\n' });
        throw Object.assign(new Error('stop'), { done });
      }),
      undefined,
    );
    const { error } = (await outcome) as unknown as { error: { done: ShellResult } };
    const { done } = error;
    expect(done).toEqual({
      code: 3,
      signal: null,
      stdout: 'in',
      stderr: 'no\n',
      left_out: { stdout: 0, stderr: 0 },
      timed_out: false,
      unknown: null,
    });
    const { context } = (await engine.checkpoints.getLastSuccessfulCheckpoint(id))!;
    expect(context.tool_outputs.map(({ tool }) => tool)).toContain('shell');
    expect((await engine.rollback(target)).files).toEqual(['a.txt', 'new.txt']);
    expect([folder.read('a.txt'), folder.read('new.txt')]).toEqual(['a\n', null]);
  });

  test('of a command that says too much the beginning and the end are kept, and what is missing is said', async () => {
    const engine = await (await fresh()).open({ workspace: true });
    const said = await engine.run(
      defineTask('loud', ({ shell }) =>
        shell(
          `printf '%s' "$(head -c 5000 /dev/zero | tr '\\0' a)" >&2; echo begun; yes é | head -n 5000; echo done`,
          { max_output_kb: 1 },
        ),
      ),
      undefined,
    );
    expect(said).toMatchObject({ code: 0, left_out: { stdout: 15_011 - 1024, stderr: 5000 - 1024 } });
    expect(said.stdout).toMatch(/^begun\né\n[é\n]+\n… 13987 bytes left out …\n[é\n]+\ndone\n$/);
    expect(said.stderr).toMatch(/^a{512}\n… 3976 bytes left out …\na{512}$/);
    const all = await engine.run(
      defineTask('quiet', ({ shell }) => shell('yes | head -n 100000')),
      undefined,
    );
    expect(all).toMatchObject({ left_out: { stdout: 0 }, stdout: 'y\n'.repeat(100_000) });
  });

  test('a command that takes too long is ended', async () => {
    const engine = await (await fresh()).open({ workspace: true });
    const task = defineTask('slow', ({ shell }, timeout_ms: number) =>
      shell('echo begun; sleep 600', { timeout_ms }),
    );
    // However slow the machine, it has begun in one of these times.
    for (let timeout_ms = 300, begun = false; !begun; timeout_ms *= 4) {
      const ended = await engine.run(task, timeout_ms);
      expect(ended).toMatchObject({ timed_out: true, code: null });
      begun = ended.stdout === 'begun\n';
    }
  });

  test('a command that was cut off can be reported instead of run again', async () => {
    const store = await fresh();
    const folder = folderIn(store);
    const definition = defineTask('runs', ({ shell }) =>
      shell('echo half > out.txt; sleep 600', { on_unknown: 'report' }),
    );
    const first = await store.open({ workspace: true });
    const { id } = await first.start(definition, undefined);
    await expect.poll(() => folder.read('out.txt')).toBe('half\n');
    await first.close();
    const engine = await store.open({ workspace: true, tasks: [definition] });
    expect(await (await engine.resume(id)).result).toMatchObject({
      code: null,
      unknown: { danger: 'shell_command', files: { changed: ['out.txt'] } },
    });
  });
});

describe('killed', () => {
  onEachStore((fresh) => {
    test('a command half-way is reported with the files it changed, in the conversation too', async () => {
      const store = await fresh();
      const folder = folderIn(store);
      folder.write('other.txt', 'other\n');
      const program = join(import.meta.dirname, 'shell-child.ts');
      const child = spawn(process.execPath, [program, store.dir, 'build-1', JSON.stringify(store.config)], {
        detached: true,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = once(child, 'exit');
      await expect.poll(() => folder.read('out.txt')).toBe('half\n');
      child.kill('SIGKILL');
      await ended;
      const looks = defineTask('builds', (task) => task.shell('true'), { version: '1' });
      const engine = await store.open({ workspace: true, tasks: [looks] });
      // The command outlived its process: it is not run beside itself. On PostgreSQL the lease has to end first.
      const take = () =>
        engine.resume('build-1').catch(({ data }) => {
          for (const pid of data.pids ?? []) endProcess(pid);
          return null;
        });
      let handle = await take();
      await expect.poll(async () => (handle ??= await take())).not.toBeNull();
      expect(await handle!.result).toMatchObject({ code: 0, unknown: null });
      const entries = (await liveOf(engine, 'build-1')).map(({ entry }) => entry);
      expect(entries.find((entry) => entry.t === 'tool')).toMatchObject({
        tool: 'shell',
        status: 'unknown',
        output: { files: { changed: ['out.txt'], unchanged: [] } },
      });
    });
  });
});

describe('without a workspace', () => {
  onEachStore(
    (fresh) => {
      test('files are refused, commands run', async () => {
        const engine = await (await fresh()).open();
        const task = defineTask('works', async ({ files, shell }) => [
          await files.read('a.txt').catch(({ code }) => code),
          (await shell('echo out')).stdout,
        ]);
        expect(await engine.run(task, undefined)).toEqual(['USAGE', 'out\n']);
      });
    },
    ['json'],
  );
});

/** One that has ended meanwhile is gone, too. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
