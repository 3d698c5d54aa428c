/** Links through themselves, names that cannot stand in a snapshot, paths that are too long: restored, or named. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { leadsOut, linksIn } from '../../src/workspace/restore/links.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

async function undone(dir: string, body: (task: TaskContext) => Promise<unknown>) {
  const engine = await openEngine({ project_dir: dir, workspace: true });
  const { id, outcome } = await engine.start(defineTask('works', body), undefined);
  const ended = await outcome;
  const result = await engine.undo(id);
  return { engine, id, result, ended };
}

const names = (dir: string) => readdirSync(dir).filter((name) => name !== '.vibe-engine');

describe('a link through itself', () => {
  const LINKS = {
    plain: 'plain',
    below: 'below/x',
    round: './round/../round/y',
    first: 'second/x',
    second: 'first/../z',
  };

  test('is brought back by a redo', async () => {
    const dir = tempDir();
    const make = Object.entries(LINKS).map(([name, target]) => `ln -s ${target} ${name}`);
    const { engine, id, result } = await undone(dir, (task) => task.shell(make.join('; ')));
    expect(names(dir)).toEqual([]);
    expect(result.notes.left).toEqual([]);
    const again = await engine.redo(id);
    expect(again.notes?.left).toEqual([]);
    for (const [name, target] of Object.entries(LINKS)) expect(readlinkSync(join(dir, name))).toBe(target);
    await engine.close();
  });

  test('that leads out on the way is still refused', () => {
    const links = (found: Record<string, string>) =>
      linksIn(
        new Map([
          [
            '',
            {
              names: Object.keys(found).sort(),
              entries: Object.keys(found)
                .sort()
                .map((name) => ({ kind: 'symlink' as const, target: found[name]! })),
            },
          ],
        ]),
      );
    expect(leadsOut('a', 'b/x', links({ b: 'c/y', c: '../out' }))).toBe(true);
    expect(leadsOut('a', 'b/a', links({ a: 'b/a', b: '..' }))).toBe(true);
    expect(leadsOut('d/a', 'b/../../..', links({ b: 'd' }))).toBe(true);
    expect(leadsOut('a', 'b/x', links({ a: 'b/x', b: 'a/y' }))).toBe(false);
  });
});

describe('a name that cannot stand in a snapshot', () => {
  const ODD = ['new\nline', 'back\\slash', '?61', 'tab\there', '?0a'];
  const MORE = ['made\nnow', 'made\\now', '?62'];
  const script = join(tempDir(), 'command.mjs');
  writeFileSync(
    script,
    `import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
     const [changed, removed, made] = JSON.parse(process.argv[2]);
     for (const name of changed) appendFileSync(name, 'more');
     for (const name of removed) rmSync(name);
     for (const name of made) writeFileSync(name, 'new');`,
  );

  test.each([true, false])(
    'is told after a command changed, removed or made it; watched: %s',
    async (watch) => {
      const dir = tempDir();
      for (const name of ODD) writeFileSync(join(dir, name), 'a person’s');
      mkdirSync(join(dir, 'odd\ndir'));
      writeFileSync(join(dir, 'odd\ndir', 'in it'), 'x');
      await new Promise((resolve) => setTimeout(resolve, 50));
      const [changed, removed] = [ODD.slice(0, 3), ODD.slice(3)];
      const engine = await openEngine({ project_dir: dir, workspace: { watch } });
      const body = async (task: TaskContext) => {
        await task.shell('echo 1 > plain.txt');
        await task.shell([
          process.execPath,
          script,
          JSON.stringify([[...changed, 'odd\ndir/in it'], removed, MORE]),
        ]);
      };
      const { id, outcome } = await engine.start(defineTask('works', body), undefined);
      await outcome;
      const result = await engine.undo(id);
      expect(result.files).toEqual(['plain.txt']);
      const told = [...ODD, ...MORE, 'odd\ndir'].sort();
      expect(result.notes.left).toEqual(told.map((path) => ({ path, why: 'not_captured' })));
      for (const name of changed) expect(readFileSync(join(dir, name), 'utf8')).toBe('a person’smore');
      await engine.close();
    },
  );

  test('and was not touched is not told', async () => {
    const dir = tempDir();
    for (const name of ODD) writeFileSync(join(dir, name), 'a person’s');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { engine, result } = await undone(dir, (task) => task.shell('echo 1 > plain.txt'));
    expect(result.notes.left).toEqual([]);
    await engine.close();
  });

  test('is not written by task.files, which could not bring it back', async () => {
    const dir = tempDir();
    for (const name of ODD) writeFileSync(join(dir, name), 'a person’s');
    const engine = await openEngine({ project_dir: dir, workspace: true });
    for (const name of [...ODD, ...unlessFull([], MORE), 'odd\ndir/x']) {
      for (const verb of ['write', 'delete'] as const) {
        const body = ({ files }: TaskContext) =>
          verb === 'write' ? files.write(name, 'by the task') : files.delete(name);
        const { outcome } = await engine.start(defineTask('works', body), undefined);
        expect(await outcome).toMatchObject({ status: 'failed', error: { code: 'WORKSPACE_UNSAFE' } });
      }
    }
    await engine.close();
    expect(names(dir).sort()).toEqual([...ODD].sort());
    for (const name of ODD) expect(readFileSync(join(dir, name), 'utf8')).toBe('a person’s');
  });
});

test.each(unlessFull([true], [true, false]))(
  'a path longer than the system takes stops nothing else; watched: %s',
  async (watch) => {
    const dir = tempDir();
    // Shells go by whole paths, too.
    const script = join(tempDir(), 'deep.mjs');
    writeFileSync(
      script,
      `import { mkdirSync, writeFileSync } from 'node:fs';
     for (const name of ['mine', ...Array(19).fill('d'.repeat(200)), ...Array(60).fill('dddd')]) {
       mkdirSync(name);
       process.chdir(name);
       if (name === 'dddd') for (const file of ['.gitignore', 'f']) writeFileSync(file, 'x');
     }`,
    );
    writeFileSync(join(dir, 'a.txt'), 'a\n');
    const engine = await openEngine({ project_dir: dir, workspace: { watch } });
    const body = async (task: TaskContext) => {
      expect(await task.shell([process.execPath, script])).toMatchObject({ code: 0 });
      await task.shell('echo b > a.txt; echo new > new.txt');
    };
    const { id, outcome } = await engine.start(defineTask('works', body), undefined);
    expect(await outcome).toMatchObject({ status: 'completed' });
    const result = await engine.undo(id);
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a\n');
    expect(names(dir)).toEqual(['a.txt', 'mine']);
    expect(result.files).toEqual(expect.arrayContaining(['a.txt', 'new.txt']));
    // What is too deep to be named is told by the directory that could be.
    expect(result.notes.left.map(({ path }) => path)).toContain('mine');
    expect(lstatSync(join(dir, 'mine')).isDirectory()).toBe(true);
    await engine.redo(id);
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('b\n');
    await engine.close();
    execFileSync('rm', ['-rf', join(dir, 'mine')]);
  },
);
