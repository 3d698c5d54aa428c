/** A store that another user put in a directory above is not used: it could say what to run. */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectDir } from '../../src/cli/common/project.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { isOthers } from '../../src/system/owner.ts';
import { cli, MAIN } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log('not root: a directory of another user cannot be made here');

async function project(): Promise<{ above: string; here: string }> {
  const above = tempDir();
  const here = join(above, 'a', 'b');
  mkdirSync(here, { recursive: true });
  const engine = await openEngine({ project_dir: above });
  await engine.run(
    defineTask('planted', async () => 1),
    undefined,
  );
  await engine.close();
  return { above, here };
}

test.skipIf(!isRoot)('one of another user is passed over, and that is said', async () => {
  const { above, here } = await project();
  expect((await cli(here, ['tasks'])).out).toContain('planted');
  chownSync(join(above, '.vibe-engine'), NOBODY, NOBODY);
  const { out, err, exit } = await cli(here, ['tasks']);
  expect(out).not.toContain('planted');
  expect(err).toContain(`--project ${above}`);
  expect(exit).toBe(0);
  expect(JSON.parse((await cli(here, ['tasks', '--json'])).out)).toMatchObject({ data: { tasks: [] } });
  // Named, or entered, it is meant.
  expect((await cli(here, ['tasks', '--project', above])).out).toContain('planted');
  expect((await cli(above, ['tasks'])).out).toContain('planted');
  expect((await cli(here, ['tasks'], { SUDO_UID: String(NOBODY) })).out).toContain('planted');
});

test.skipIf(!isRoot)('the next one above, of one’s own, is found past it', async () => {
  const { above, here } = await project();
  mkdirSync(join(above, 'a', '.vibe-engine'));
  chownSync(join(above, 'a', '.vibe-engine'), NOBODY, NOBODY);
  const passed: string[] = [];
  expect(projectDir(here, undefined, (dir) => passed.push(dir))).toBe(above);
  expect(passed).toEqual([join(above, 'a')]);
});

test.skipIf(!isRoot)('settings of another user say whose they are, and what to type', async () => {
  const { above } = await project();
  const dir = join(above, '.vibe-engine');
  chmodSync(above, 0o755);
  const { out } = await as(NOBODY, above, ['tasks', '--json']);
  expect(JSON.parse(out).error).toMatchObject({
    code: 'NO_PERMISSION',
    message: `${dir} belongs to user root, and you may not read it.`,
    hint: expect.stringContaining(`sudo chown -R "$(id -u):$(id -g)" '${dir}'`),
    data: { owner: 'root' },
  });
});

test.skipIf(!isRoot)('a store that one may not write says so, and how to look at it', async () => {
  const { above } = await project();
  const dir = join(above, '.vibe-engine');
  execFileSync('chmod', ['-R', 'a+rX', above]);
  for (const args of [['tasks'], ['ui', '--no-open', '--port', '0']]) {
    const { out } = await as(NOBODY, above, [...args, '--json']);
    expect(JSON.parse(out).error).toMatchObject({
      code: 'NO_PERMISSION',
      message: `${dir} belongs to user root, and you may not write to it; even a look at its tasks takes a lock there.`,
      hint: expect.stringContaining(`cp -R '${above}' COPY && vibe-engine tasks --project COPY`),
      data: { owner: 'root', store: dir },
    });
  }
  execFileSync('chown', ['-R', `${NOBODY}`, above]);
  execFileSync('chmod', ['-R', 'a-w', above]);
  const own = await as(NOBODY, above, ['tasks', '--json']);
  const message = `You may not write to ${dir}; even a look at its tasks takes a lock there.`;
  expect(JSON.parse(own.out).error).toMatchObject({ code: 'NO_PERMISSION', message });
});

function as(uid: number, cwd: string, args: readonly string[]): Promise<{ out: string }> {
  const { PATH } = process.env;
  const env = { PATH, HOME: cwd };
  return new Promise((done) => {
    execFile(process.execPath, [MAIN, ...args], { cwd, uid, gid: uid, env }, (_, out) => done({ out }));
  });
}

test('whose a directory is', () => {
  expect(isOthers({ uid: 1000 }, {}, 1000)).toBe(false);
  expect(isOthers({ uid: 0 }, {}, 1000)).toBe(true);
  expect(isOthers({ uid: 1000 }, {}, 0)).toBe(true);
  expect(isOthers({ uid: 1000 }, { SUDO_UID: '1000' }, 0)).toBe(false);
  expect(isOthers({ uid: 1000 }, { SUDO_UID: '1000' }, 1001)).toBe(true);
});
