/** One process answers at a socket, for its user alone. */
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askAt, serveAt } from '../../src/system/process/local-service.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

test('answers, privately, and is gone when it is closed', async () => {
  const path = join(tempDir(), 'run', 'vibe-engine', 'a.sock');
  const service = await serveAt(path, async (body) => ({ heard: body }));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  expect(await askAt(path, { a: [1, '二'] }, 5_000)).toEqual({ heard: { a: [1, '二'] } });
  expect(await serveAt(path, async () => null)).toBeNull();
  await service!.close();
  expect(existsSync(path)).toBe(false);
  await expect(askAt(path, {}, 5_000)).rejects.toThrow();
});

test('what a dead process left is taken over; what is in the way stays', async () => {
  const dir = tempDir();
  chmodSync(dir, 0o700);
  const path = join(dir, 'a.sock');
  const dead = createServer().listen(path);
  await new Promise((resolve) => dead.once('listening', resolve));
  dead.close = () => dead; // The socket stays, as after a kill.
  (dead as unknown as { _handle: { close(): void } })._handle.close();
  writeFileSync(`${path}.other`, 'mine');
  const service = await serveAt(path, async () => 'here');
  expect(await askAt(path, {}, 5_000)).toBe('here');
  await service!.close();
});

test('an error of the answer is one for the asker', async () => {
  const path = join(tempDir(), 'private', 'a.sock');
  const service = await serveAt(path, async () => {
    throw new Error('no');
  });
  await expect(askAt(path, {}, 5_000)).rejects.toThrow('400');
  await service!.close();
});

test('a directory that others may enter is not used', async () => {
  const dir = join(tempDir(), 'open');
  mkdirSync(dir, { mode: 0o755 });
  chmodSync(dir, 0o755);
  expect(await serveAt(join(dir, 'a.sock'), async () => null)).toBeNull();
});
