/** Files and directories that a command closes to everybody, as a plain user: the way back opens them. */
import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';
if (!isLinux) console.log('not Linux: what is closed to its owner is named there, not put back');

const COMMANDS = {
  'closes files': 'chmod 000 a.txt b.txt',
  'closes a directory': 'chmod 000 closed',
  'closes one to be listed, not entered': 'chmod 400 closed',
  'closes all of it': 'chmod 000 closed/deep/d.txt closed/deep closed/c.txt closed a.txt',
  'changes what it closes':
    'echo x >> a.txt; echo x > closed/deep/d.txt; rm closed/c.txt; echo c > closed/c.txt; chmod 000 a.txt closed/deep closed',
};

test.skipIf(!isLinux).each(['watched', 'scanned'])(
  'what a command closes is undone and redone, %s',
  (how) => {
    const home = tempDir();
    if (isRoot) chownSync(home, NOBODY, NOBODY);
    const env = {
      PATH: process.env.PATH,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      HOME: home,
      TMPDIR: home,
      VIBE_ENGINE_STATE_DIR: join(home, 'state'),
    };
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const child = join(import.meta.dirname, 'plain-user.ts');
    const args = [child, home, how, JSON.stringify(Object.values(COMMANDS))];
    const stories = JSON.parse(execFileSync(process.execPath, args, { cwd: home, env, ...user }).toString());
    for (const [number, name] of Object.keys(COMMANDS).entries()) {
      const { before, after, undone, redone, left } = stories[number];
      expect(after, name).not.toEqual(before);
      expect(left, name).toEqual([]);
      expect(undone, name).toEqual(before);
      expect(redone, name).toEqual(after);
    }
  },
);
