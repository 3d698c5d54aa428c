/** Test files share a process: what one has left changed in it is put back before the next. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import { setIoHook } from '../../src/system/io.ts';
import { setPlatform } from '../../src/system/platform.ts';
import { FULL } from './full.ts';

/** What the programs that a test starts take of `src` comes from a bundle. */
if (!FULL)
  process.env.NODE_OPTIONS = `--import=${pathToFileURL(join(import.meta.dirname, 'bundled-hook.js')).href}`;

const before = { cwd: process.cwd(), umask: process.umask(), env: { ...process.env } };

afterAll(() => {
  setIoHook(undefined);
  setPlatform();
  process.umask(before.umask);
  process.chdir(before.cwd);
  for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
  Object.assign(process.env, before.env);
});
