/** What checkpoints say of every kind of change, by any author. */
import { hash } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileChange } from '../../src/checkpoint/record/record.ts';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { put } from '../workspace/ground.ts';
import { recordsOf } from './letters.ts';
import { onEachStore } from './stores.ts';

const sha = (text: string) => hash('sha256', text);

const START: Record<string, string> = {
  'modified.txt': 'before',
  'deleted.txt': 'before',
  'mode.txt': 'same',
  'both.txt': 'before',
  'becomes-link.txt': 'before',
  'untouched.txt': 'same',
  'dir/deleted-with-it.txt': 'before',
};

/** The same by each of them, in a directory of its own. */
const SCRIPT = `printf after > modified.txt; printf after > created.txt; rm deleted.txt; chmod 755 mode.txt
  printf after > both.txt; chmod 600 both.txt; rm becomes-link.txt; ln -s modified.txt becomes-link.txt
  rm link; ln -s created.txt link; rm -r dir; mkdir empty`;

function change(dir: string): void {
  writeFileSync(join(dir, 'modified.txt'), 'after');
  put(dir, 'created.txt', 'after');
  rmSync(join(dir, 'deleted.txt'));
  chmodSync(join(dir, 'mode.txt'), 0o755);
  put(dir, 'both.txt', 'after', 0o600);
  rmSync(join(dir, 'becomes-link.txt'));
  symlinkSync('modified.txt', join(dir, 'becomes-link.txt'));
  rmSync(join(dir, 'link'));
  symlinkSync('created.txt', join(dir, 'link'));
  rmSync(join(dir, 'dir'), { recursive: true });
  mkdirSync(join(dir, 'empty'));
}

function changesBy(dir: string, by: FileChange['by']) {
  const at = (name: string) => `${dir}/${name}`;
  const hashes = (before: string | null, after: string | null) => ({
    hash_before: before === null ? null : sha(before),
    hash_after: after === null ? null : sha(after),
  });
  return {
    modified: [
      { path: at('becomes-link.txt'), ...hashes('before', 'modified.txt'), mode_before: '0644', by },
      { path: at('both.txt'), ...hashes('before', 'after'), mode_before: '0644', mode_after: '0600', by },
      { path: at('link'), ...hashes('modified.txt', 'created.txt'), by },
      { path: at('mode.txt'), ...hashes('same', 'same'), mode_before: '0644', mode_after: '0755', by },
      { path: at('modified.txt'), ...hashes('before', 'after'), by },
    ],
    created: [at('created.txt')],
    deleted: [at('deleted.txt'), at('dir/deleted-with-it.txt')],
    details: [
      { path: at('created.txt'), ...hashes(null, 'after'), mode_after: '0644', by },
      { path: at('deleted.txt'), ...hashes('before', null), mode_before: '0644', by },
      { path: at('dir/deleted-with-it.txt'), ...hashes('before', null), mode_before: '0644', by },
    ],
  };
}

onEachStore((fresh) => {
  test('each kind of change has its hashes, its modes and its author', async () => {
    const store = await fresh();
    const dirs = { step: 'a', tool: 'b', shell: 'c', outside: 'd', unknown: 'e' } as const;
    for (const dir of Object.values(dirs)) {
      for (const [name, content] of Object.entries(START)) put(store.dir, join(dir, name), content);
      symlinkSync('modified.txt', join(store.dir, dir, 'link'));
    }
    const at = (by: keyof typeof dirs) => join(store.dir, dirs[by]);
    const engine = await store.open({ workspace: true });
    const { id, outcome } = await engine.start(
      defineTask('changes', async (task: TaskContext) => {
        await task.step('one', () => change(at('step')), { dangerous: 'file_change' });
        await task.tool('sed', {}, () => change(at('tool')), { dangerous: 'file_change' });
        await task.shell(SCRIPT, { cwd: dirs.shell });
        change(at('outside'));
        await task.checkpoint();
        await task.step(
          'two',
          async () => {
            change(at('unknown'));
            await task.checkpoint();
          },
          { dangerous: 'file_change' },
        );
      }),
      undefined,
    );
    expect(await outcome).toMatchObject({ status: 'completed' });
    const told = (await recordsOf(engine, id))
      .map(({ file_changes }) => file_changes)
      .filter(({ modified }) => modified.length > 0);
    expect(told).toEqual((Object.keys(dirs) as (keyof typeof dirs)[]).map((by) => changesBy(dirs[by], by)));
    const loaded = await engine.checkpoints.getLastSuccessfulCheckpoint(id);
    expect(loaded).not.toBeNull();
  });

  test('what was not captured is not told as changed, but what grew too large is', async () => {
    const store = await fresh();
    put(store.dir, '.gitignore', 'data/\n');
    for (const path of ['data/a.txt', 'src/b.txt', 'log.txt']) put(store.dir, path, 'short');
    const engine = await store.open({ workspace: { max_file_mb: 0.001 } });
    const { id, outcome } = await engine.start(
      defineTask('changes', (task) => task.shell('echo src/ > .gitignore; seq 1000 > log.txt')),
      undefined,
    );
    expect(await outcome).toMatchObject({ status: 'completed' });
    const told = (await recordsOf(engine, id)).map(({ file_changes }) => file_changes);
    expect(told.flatMap(({ modified }) => modified)).toMatchObject([
      { path: '.gitignore' },
      { path: 'log.txt', hash_before: sha('short'), hash_after: null, by: 'shell' },
    ]);
    expect(told.flatMap(({ created, deleted }) => [...created, ...deleted])).toEqual([]);
    expect(await engine.state(id)).toMatchObject({ data: { files_modified: ['.gitignore', 'log.txt'] } });
  });

  test('the last author of a file is named', async () => {
    const store = await fresh();
    put(store.dir, 'a.txt', 'start');
    const engine = await store.open({
      workspace: true,
      config: { ...store.config, checkpoints: { triggers: { after_file_change: 'off', after_step: 'off' } } },
    });
    const { id, outcome } = await engine.start(
      defineTask('changes', async (task: TaskContext) => {
        await task.step('one', () => put(store.dir, 'a.txt', 'the task'), { dangerous: 'file_change' });
        put(store.dir, 'a.txt', 'a person');
        await task.checkpoint();
      }),
      undefined,
    );
    await outcome;
    const told = (await recordsOf(engine, id)).flatMap(({ file_changes }) => file_changes.modified);
    const expected = { path: 'a.txt', hash_before: sha('start'), hash_after: sha('a person'), by: 'outside' };
    expect(told).toEqual([expected]);
  });
});

onEachStore(
  (fresh) => {
    test('what no watch tells of is seen after a command, and at the end of a task that ran one', async () => {
      const store = await fresh();
      // Through another hard link, as through a memory map.
      put(store.dir, 'linked.txt', 'before');
      put(store.dir, 'late.txt', 'before');
      mkdirSync(join(store.dir, '.vibe-engine'));
      for (const name of ['linked', 'late'])
        linkSync(join(store.dir, `${name}.txt`), join(store.dir, '.vibe-engine', `${name}.txt`));
      const engine = await store.open({ workspace: true });
      const { id, outcome } = await engine.start(
        defineTask('maps', async (task) => {
          await task.checkpoint();
          await task.shell('printf after > .vibe-engine/linked.txt');
          await task.step('meanwhile', () =>
            writeFileSync(join(store.dir, '.vibe-engine/late.txt'), 'after'),
          );
        }),
        undefined,
      );
      await outcome;
      const told = (await recordsOf(engine, id)).flatMap(({ file_changes }) => file_changes.modified);
      const by = (path: string) => told.filter((change) => change.path === path).map((change) => change.by);
      expect(by('linked.txt')).toEqual(['shell']);
      expect(by('late.txt')).toEqual(['outside']);
    });
  },
  ['json'],
);
