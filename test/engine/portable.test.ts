/** A task as one file: out of each store and into another, with everything it was; and files that are not what they say. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { exportTask, importTask, PORTABLE_LIMITS } from '../../src/engine/portable/portable.ts';
import { START } from '../../src/storage/chain.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { put } from '../workspace/ground.ts';
import { edit, editOn, editor, newRepository } from './file-world.ts';
import { untilStatus } from './letters.ts';
import { onEachStore, type Store } from './stores.ts';

const tempDir = tempDirs();

const talker = defineTask<{ large: string }>('talker', async (task, { large }) => {
  await task.message('user', large);
  await task.step('first', () => large);
  await task.set('count', 1n);
  const name = await task.waitFor<string>('user_input', { prompt: 'Which name?' });
  return `${name} ${large.length}`;
});
const TASKS = { tasks: [talker, editor] };

/** What of a task can be compared: its state, its history, its checkpoints with their contexts. */
async function seen(engine: Engine, task: string): Promise<unknown> {
  const records = await engine.checkpoints.listCheckpoints(task);
  const checkpoints = [];
  for (const { id } of records) {
    const { checksum: _, recovery_info: __, ...rest } = (await engine.checkpoints.loadCheckpoint(id))!;
    checkpoints.push(rest);
  }
  return { state: await engine.state(task), history: await engine.history(task), checkpoints };
}

onEachStore((fresh) => {
  const json = async (): Promise<Store> => {
    const dir = tempDir();
    const { openEngine } = await import('../../src/engine/engine.ts');
    const config = { persistence: { storage_type: 'json' } };
    const quiet = { signals: false, automatic_cleanup: false };
    const open: Store['open'] = (options = {}) =>
      openEngine({ project_dir: dir, config, ...quiet, ...options });
    return { dir, config, open } as Store;
  };

  test.each([
    ['out of it', 'there'],
    ['into it', 'here'],
  ])('a task goes %s whole, and goes on', async (_, way) => {
    const [from, to] = way === 'there' ? [await fresh(), await json()] : [await json(), await fresh()];
    const source = await from.open(TASKS);
    const { id, outcome } = await source.start(talker, { large: 'x'.repeat(300_000) }, { task_name: 'talk' });
    await untilStatus(source, id, 'waiting');
    await source.pause(id, 'lunch');
    await outcome;
    await source.answer(id, 'Ada');
    const file = join(tempDir(), 'talk.vibe-task');
    const exported = await exportTask(source, id, file);
    expect(exported).toMatchObject({ task: id, tasks: [id], missing: [] });
    const target = await to.open(TASKS);
    const imported = await importTask(target, file);
    expect(imported).toMatchObject({
      task: id,
      task_name: 'talk',
      status: 'paused',
      entries: exported.entries,
    });
    expect(await seen(target, id)).toEqual(await seen(source, id));
    await expect(importTask(target, file)).rejects.toMatchObject({ code: 'STALE_WRITE' });
    expect(await (await target.resume(id)).result).toBe('Ada 300000');
    expect(await source.state(id)).toMatchObject({ status: 'paused' });
    for await (const problem of target.storage.verify()) expect(problem).toBeNull();
    await source.close();
    await target.close();
  });

  test('a task comes out of an encrypted store and goes into another', async () => {
    process.env.VIBE_ENGINE_KEY ??= 'c0ffee'.padEnd(64, '0');
    const [from, to] = [await fresh(), await fresh()];
    const sealed = { ...TASKS, config: { encryption: { enabled: true } } };
    const source = await from.open(sealed);
    const { id, outcome } = await source.start(talker, { large: 'x'.repeat(30_000) });
    await untilStatus(source, id, 'waiting');
    await source.pause(id);
    await outcome;
    const { id: fork } = await source.fork((await source.checkpoints.listCheckpoints(id)).at(-1)!.id);
    const file = join(tempDir(), 'sealed.vibe-task');
    await exportTask(source, fork, file);
    const target = await to.open(sealed);
    expect((await importTask(target, file)).tasks).toEqual([id, fork]);
    await target.answer(fork, 'Ada');
    expect(await (await target.resume(fork)).result).toBe('Ada 30000');
    for await (const problem of target.storage.verify()) expect(problem).toBeNull();
  });

  test('files come along, also those that git has, and can be put back elsewhere', async () => {
    const from = await fresh();
    newRepository(from.dir, { 'kept.txt': 'in git\n', 'a.txt': 'before\n' });
    const source = await from.open({ ...TASKS, workspace: true });
    const id = await edit(source, {
      dir: from.dir,
      changes: [
        ['a.txt', 'after\n'],
        ['new.txt', 'new\n'],
      ],
      end: 'pause',
    });
    const file = join(tempDir(), 'edits.vibe-task');
    expect(await exportTask(source, id, file)).toMatchObject({ missing: [] });
    await source.close();
    const to = await json();
    for (const [name, text] of [
      ['kept.txt', 'in git\n'],
      ['a.txt', 'after\n'],
      ['new.txt', 'new\n'],
    ] as const)
      put(to.dir, name, text);
    rmSync(from.dir, { recursive: true, force: true });
    const target = await to.open({ ...TASKS, workspace: true });
    await importTask(target, file);
    const [first] = await target.checkpoints.listCheckpoints(id);
    expect(first!.recovery_info.working_dir).toBe(to.dir);
    await target.rollback(first!.id);
    expect(readFileSync(join(to.dir, 'a.txt'), 'utf8')).toBe('before\n');
    expect(existsSync(join(to.dir, 'new.txt'))).toBe(false);
    await target.redo(id);
    rmSync(join(to.dir, 'kept.txt'));
    rmSync(join(to.dir, 'new.txt'));
    await target.rollback(first!.id, { on_deleted: 'restore' });
    expect(readFileSync(join(to.dir, 'a.txt'), 'utf8')).toBe('before\n');
    await target.close();
  });

  test('a fork brings those it comes from, and finds them where they are already', async () => {
    const from = await fresh();
    const source = await from.open(TASKS);
    const { id: parent, result } = await source.start(talker, { large: 'y'.repeat(50_000) });
    await untilStatus(source, parent, 'waiting');
    await source.answer(parent, 'Ada');
    await result;
    const at = (await source.checkpoints.listCheckpoints(parent)).find(
      ({ step_name }) => step_name === 'first',
    )!;
    const forks = [await source.fork(at.id), await source.fork(at.id)];
    const files = forks.map((_, index) => join(tempDir(), `${index}.vibe-task`));
    for (const [index, { id }] of forks.entries()) await exportTask(source, id, files[index]!);
    await source.close();
    const to = await json();
    const target = await to.open(TASKS);
    expect((await importTask(target, files[0]!)).tasks).toEqual([parent, forks[0]!.id]);
    expect((await importTask(target, files[1]!)).tasks).toEqual([forks[1]!.id]);
    for (const { id } of forks) {
      const run = await target.resume(id);
      await untilStatus(target, id, 'waiting');
      await target.answer(id, 'Bob');
      expect(await run.result).toBe('Bob 50000');
    }
    await target.close();
  });

  test('what was rolled back and freed leaves its numbers behind', async () => {
    const from = await fresh();
    newRepository(from.dir, { 'a.txt': '0\n' });
    const source = await from.open({ ...TASKS, workspace: true, config: { cleanup: { grace_hours: 0 } } });
    const changes = [1, 2, 3].map((n) => ['a.txt', `${n}\n`] as const);
    const id = await edit(source, { dir: from.dir, changes, end: 'pause' });
    const checkpoints = await source.checkpoints.listCheckpoints(id);
    await source.rollback(checkpoints[2]!.id);
    await editOn(source, id, 'pause');
    await source.clean();
    const numbers: number[] = [];
    for await (const { seq } of source.storage.read(id)) numbers.push(seq);
    expect(numbers.length).toBeLessThan((await source.storage.position(id)).seq);
    const file = join(tempDir(), 'cut.vibe-task');
    await exportTask(source, id, file);
    const to = await json();
    const target = await to.open({ ...TASKS, workspace: true });
    await importTask(target, file);
    const there: number[] = [];
    for await (const { seq } of target.storage.read(id)) there.push(seq);
    expect(there).toEqual(numbers);
    const newest = (await target.checkpoints.listCheckpoints(id)).at(-1)!;
    const notes: string[] = [];
    target.on('recovery', (event) => notes.push(...event.notes));
    put(to.dir, 'a.txt', '3\n');
    const run = await target.resume(id, {
      on_environment: 'continue',
      on_modified: 'use_current',
      on_deleted: 'skip',
    });
    expect(notes.join()).not.toContain('was skipped');
    await untilStatus(target, id, 'waiting');
    await target.answer(id, 'go on');
    expect(await run.result).toBe(3);
    expect(newest.journal.seq).toBeLessThanOrEqual((await target.storage.position(id)).seq);
    await source.close();
    await target.close();
  });
});

onEachStore(
  (fresh) => {
    const exported = async (): Promise<{ file: string; lines: string[]; target: Engine; dir: string }> => {
      const source = await (await fresh()).open(TASKS);
      const { id, outcome } = await source.start(talker, { large: 'z' });
      await untilStatus(source, id, 'waiting');
      await source.pause(id);
      await outcome;
      const file = join(tempDir(), 'x.vibe-task');
      await exportTask(source, id, file);
      const to = await fresh();
      const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
      return { file, lines, target: await to.open(TASKS), dir: to.dir };
    };
    const { createHash } = process.getBuiltinModule('node:crypto');
    /** Sealed again, so that nothing but what was changed is wrong. */
    const pack = (file: string, lines: readonly string[]): void => {
      const body = lines.map((line) => `${line}\n`).join('');
      const end = { t: 'end', lines: lines.length, sha256: createHash('sha256').update(body).digest('hex') };
      writeFileSync(file, gzipSync(`${body}${JSON.stringify(end)}\n`));
    };
    const change = (line: string, to: (value: Record<string, unknown>) => unknown): string =>
      JSON.stringify(to(JSON.parse(line) as Record<string, unknown>));

    /** As if the task were a fork; of itself where no other is named. */
    const sharing =
      (parent: string | null, to: number) =>
      (line: string): string => {
        if (!line.includes('/head"')) return line;
        return change(line, (record) => {
          const head = JSON.parse(record.data as string) as { task_id: string };
          const share = { task: parent ?? head.task_id, to, hash: '0'.repeat(64), dead: [], checkpoint: 'c' };
          return { ...record, data: JSON.stringify({ ...head, lineage: [share] }) };
        });
      };

    test.each<[string, (lines: string[]) => string[]]>([
      ['another version', ([first, ...rest]) => [change(first!, (h) => ({ ...h, version: 2 })), ...rest]],
      ['a member nobody knows', ([first, ...rest]) => [change(first!, (h) => ({ ...h, more: 1 })), ...rest]],
      ['another task', ([first, ...rest]) => [change(first!, (h) => ({ ...h, task: 'other' })), ...rest]],
      ['a path', (lines) => lines.map((line) => line.replace('/state"', '/../../state"'))],
      [
        'a record of something else',
        (lines) => [...lines, '{"t":"record","category":"config","key":"x","data":"1"}'],
      ],
      [
        'a blob that is not its hash',
        (lines) => [...lines, `{"t":"blob","task":null,"id":"file/${'0'.repeat(64)}","base64":"eA=="}`],
      ],
      ['an entry twice', (lines) => [...lines, lines.find((line) => line.includes('"entry"'))!]],
      [
        'an entry of no kind',
        (lines) =>
          lines.map((line) =>
            line.includes('"entry","task"') || line.includes('"t":"entry"')
              ? change(line, (e) => ({ ...e, data: '{"t":"odd"}' }))
              : line,
          ),
      ],
      ['no head', (lines) => lines.filter((line) => !line.includes('/head"'))],
      [
        'a state that was changed',
        (lines) => lines.map((line) => (line.includes('/state"') ? line.replace('talker', 'walker') : line)),
      ],
      [
        'more entries than a store should be filled with',
        ([first, ...rest]) => [
          change(first!, (h) => ({ ...h, tasks: [{ task: h.task, end: 9_007_199_254_740_991 }] })),
          ...rest,
        ],
      ],
      ['a head that shares what another task has', (lines) => lines.map(sharing('other', 1))],
      ['a head that shares its own journal', (lines) => lines.map(sharing(null, 1))],
      [
        'something else in the place of what a rollback put away',
        ([first, ...rest]) => {
          const key = `${JSON.parse(first!).task}/undone/000000001`;
          return [first!, ...rest, JSON.stringify({ t: 'record', category: 'tasks', key, data: 'null' })];
        },
      ],
      [
        'a value nested too deeply',
        (lines) =>
          lines.map((line) =>
            line.includes('"t":"entry"')
              ? change(line, (e) => ({ ...e, data: '['.repeat(100_000) + ']'.repeat(100_000) }))
              : line,
          ),
      ],
    ])('a file with %s is refused, and nothing is stored', async (_, wrong) => {
      const { file, lines, target } = await exported();
      pack(file, wrong(lines.slice(0, -1)));
      await expect(importTask(target, file)).rejects.toMatchObject({
        code: expect.stringMatching(/^(CORRUPT|INVALID_KEY|INVALID_STATE)$/),
      });
      expect((await target.storage.tasks()).keys).toEqual([]);
      await target.close();
    });

    test('a file that was cut off or changed anywhere is refused', async () => {
      const { file, lines, target } = await exported();
      const bytes = readFileSync(file);
      for (const wrong of [
        bytes.subarray(0, bytes.length - 20),
        bytes.subarray(0, 5),
        Buffer.from('{"format":"vibe-engine-task"}\n'),
        gzipSync(lines.slice(0, -1).join('\n')),
        gzipSync(`${lines.join('\n').replace('z', 'Z')}\n`),
        gzipSync(`${lines.join('\n')}\n{}\n`),
      ]) {
        writeFileSync(file, wrong);
        await expect(importTask(target, file)).rejects.toMatchObject({ code: 'CORRUPT' });
      }
      writeFileSync(file, bytes);
      await expect(importTask(target, file, { ...PORTABLE_LIMITS, max_bytes: 500 })).rejects.toMatchObject({
        code: 'CORRUPT',
      });
      await expect(importTask(target, file, { ...PORTABLE_LIMITS, max_line: 50 })).rejects.toMatchObject({
        code: 'CORRUPT',
      });
      await expect(importTask(target, file, { ...PORTABLE_LIMITS, max_held: 500 })).rejects.toMatchObject({
        code: 'CORRUPT',
      });
      await importTask(target, file);
      await target.close();
    });

    test('an import that was cut off is finished by the next', async () => {
      const { file, lines, target } = await exported();
      const entries = lines.flatMap((line) => {
        const { t, task, data } = JSON.parse(line) as { t: string; task: string; data: string };
        return t === 'entry' ? [{ task, data: JSON.parse(data) as unknown }] : [];
      });
      const { task } = entries[0]!;
      const some = entries.slice(0, 4).map(({ data }) => data);
      await target.storage.commit({ task, append: { after: START, entries: some } });
      expect(await importTask(target, file)).toMatchObject({ task, entries: entries.length });
      await target.answer(task, 'Ada');
      expect(await (await target.resume(task)).result).toBe('Ada 1');
      await target.close();
      // One of another past is nobody's to go on with.
      const { file: other, target: elsewhere, lines: others } = await exported();
      const { task: taken } = JSON.parse(others[0]!) as { task: string };
      await elsewhere.storage.commit({ task: taken, append: { after: START, entries: [1] } });
      await expect(importTask(elsewhere, other)).rejects.toMatchObject({ code: 'STALE_WRITE' });
      await elsewhere.close();
    });

    test('nothing is left where an export fails, and no file is replaced by default', async () => {
      const store = await fresh();
      const source = await store.open(TASKS);
      const { id } = await source.start(talker, { large: 'z' });
      const dir = tempDir();
      const file = join(dir, 'x.vibe-task');
      await expect(exportTask(source, id, file)).rejects.toMatchObject({ code: 'TASK_OWNED' });
      await expect(exportTask(source, 'nobody', file)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
      await source.pause(id);
      await untilStatus(source, id, 'paused');
      await until(async () => expect(await source.storage.owner(id)).toBeNull());
      writeFileSync(file, 'mine');
      await expect(exportTask(source, id, file)).rejects.toMatchObject({ code: 'USAGE' });
      expect(readFileSync(file, 'utf8')).toBe('mine');
      await exportTask(source, id, file, { replace: true });
      expect(readdirSync(dir)).toEqual(['x.vibe-task']);
      await source.close();
    });
  },
  ['json', 'sqlite'],
);
