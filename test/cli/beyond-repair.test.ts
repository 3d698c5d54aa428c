/** Where nothing can be opened, the hint says what to do, and does not lead back to where it was given. */
import { mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { groundAt } from '../drift/ground.ts';
import { tempDirs } from '../support/temp.ts';
import { trustProject } from '../support/trust.ts';
import { cli } from './cli.ts';

const tempDir = tempDirs();

function projectWith(settings: object): string {
  const { dir } = groundAt(tempDir()).work;
  mkdirSync(join(dir, '.vibe-engine'), { recursive: true });
  writeFileSync(join(dir, '.vibe-engine', 'config.json'), JSON.stringify(settings));
  return dir;
}

test('a database that was cut short is restored from a backup: doctor says so, and where it is', async () => {
  const dir = projectWith({ persistence: { storage_type: 'sqlite', path: '.vibe-engine/store.db' } });
  trustProject(dir);
  await cli(dir, ['exec', '--', 'true']);
  const file = join(dir, '.vibe-engine/store.db');
  truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
  for (const words of [['doctor'], ['doctor', '--repair', '--yes']]) {
    const { err, exit } = await cli(dir, words);
    expect([exit, err]).toEqual([1, expect.stringContaining('restore the file from a backup')]);
    expect(err).toContain(file);
    expect(err).not.toContain('doctor lists what is wrong');
  }
});

test('a key that waits for trust is not there: the hint says what to type', async () => {
  const dir = projectWith({ encryption: { enabled: true } });
  await cli(dir, ['exec', '--', 'true']);
  const key_command = 'printf %064d 1';
  const encryption = { enabled: true, key_from: 'command', key_command };
  writeFileSync(join(dir, '.vibe-engine', 'config.json'), JSON.stringify({ encryption }));
  const { err } = await cli(dir, ['exec', '--', 'true']);
  expect(err).toMatch(/error NO_KEY/);
  expect(err).toMatch(/has no effect until you trust it \(encryption\.\S+.*\): .*trust\n/);
});
