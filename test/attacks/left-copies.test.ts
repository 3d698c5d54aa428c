/** A drift that is killed leaves nothing of the worktree where others, or the next person at the disk, could read it. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { cli, MAIN } from '../cli/cli.ts';
import { cloneAt, groundAt } from '../drift/ground.ts';
import { tempDirs } from '../support/temp.ts';
import { trustProject } from '../support/trust.ts';

const tempDir = tempDirs();
const SECRET = 'TOKEN=not-for-anybody';

/** A task on a worktree whose upstream has moved on, and which has a secret that is not committed. */
async function project(encrypted: boolean): Promise<{ dir: string; id: string; env: NodeJS.ProcessEnv }> {
  const root = tempDir();
  const { work, other } = groundAt(root, { 'a.txt': 'one\n' });
  const config = encrypted ? { encryption: { enabled: true, key_from: 'environment' as const } } : {};
  const env = encrypted ? { VIBE_ENGINE_KEY: '11'.repeat(32) } : {};
  mkdirSync(join(work.dir, '.vibe-engine'));
  writeFileSync(join(work.dir, '.vibe-engine', 'config.json'), JSON.stringify(config));
  trustProject(work.dir);
  Object.assign(process.env, env);
  const engine = await openEngine({ project_dir: work.dir, workspace: true, signals: false });
  const task = defineTask('t', async (t) => t.waitFor('user_input'));
  const { id } = await engine.start(task, undefined);
  await expect.poll(async () => (await engine.waits(id)).length).toBe(1);
  await engine.pause(id);
  await engine.close();
  delete process.env.VIBE_ENGINE_KEY;
  writeFileSync(join(work.dir, '.env'), SECRET);
  cloneAt(other.dir).commit('theirs', { 'a.txt': 'theirs\n' });
  other.git('push', '--quiet', 'origin', 'HEAD');
  return { dir: work.dir, id, env };
}

/** Stands still where the merge is tried, when everything has been copied. */
function standingGit(): { path: string; mark: string } {
  const dir = tempDir();
  const mark = join(dir, 'standing');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\ncase "$*" in *merge-tree*) echo $$ > ${mark}; exec sleep 1000;; esac\nexec ${real} "$@"\n`;
  writeFileSync(join(dir, 'git'), script);
  chmodSync(join(dir, 'git'), 0o755);
  return { path: `${dir}:${process.env.PATH}`, mark };
}

/** Files below that hold it, as they are or as git packs them. */
function copiesIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readable(path).includes(SECRET));
}

function readable(path: string): string {
  const bytes = readFileSync(path);
  try {
    return inflateSync(bytes).toString('latin1');
  } catch {
    return bytes.toString('latin1');
  }
}

const memory = `/dev/shm/vibe-engine-${process.getuid?.()}`;
const hasMemory = process.platform === 'linux' && existsSync('/dev/shm');
if (!hasMemory) console.log('skipped: kept in memory where the store is sealed, since there is no /dev/shm');

test.each([
  ['a store as it is', false],
  ['a sealed store', true],
] as const)('%s', async (_name, encrypted) => {
  const { dir, id, env } = await project(encrypted);
  const [tmp, state] = [tempDir(), join(tempDir(), 'state')];
  const { path, mark } = standingGit();
  const around = { ...env, TMPDIR: tmp, PATH: path };
  const { HOME, NODE_COMPILE_CACHE } = process.env;
  mkdirSync(state, { mode: 0o700 });
  const killed = spawn(process.execPath, [MAIN, 'drift', id], {
    cwd: dir,
    env: { ...around, HOME, NODE_COMPILE_CACHE, VIBE_ENGINE_STATE_DIR: state },
    stdio: 'ignore',
  });
  const standing = () => Number(readFileSync(mark, 'utf8'));
  await expect.poll(standing).toBeGreaterThan(0);
  // While it lives: what a killed one left may be removed by any process that starts, in other tests, too.
  let left: string[] = [];
  const copies = () => [...copiesIn(state), ...copiesIn(memory)];
  await expect.poll(() => (left = copies())).not.toEqual([]);
  killed.kill('SIGKILL');
  await new Promise((ended) => killed.once('close', ended));
  process.kill(standing(), 'SIGKILL');
  expect(copiesIn(tmp)).toEqual([]);
  if (encrypted && hasMemory) expect(copiesIn(state)).toEqual([]);
  const base = encrypted && hasMemory ? memory : join(state, 'scratch');
  expect(statSync(base).mode & 0o777).toBe(0o700);
  await cli(dir, ['tasks'], { ...env, TMPDIR: tmp, VIBE_ENGINE_STATE_DIR: state });
  await expect.poll(() => copies().filter((one) => left.includes(one))).toEqual([]);
});
