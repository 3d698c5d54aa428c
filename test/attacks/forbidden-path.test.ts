/** A directory in PATH that one may not enter is passed over, as shells do. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { setIoHook } from '../../src/system/io.ts';
import { isProgram, programNames } from '../../src/system/process/programs.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
afterEach(() => setIoHook(undefined));

test.each(['EACCES', 'ELOOP', 'ENAMETOOLONG'])('programs behind one that answers %s are found', (errno) => {
  const [closed, open] = [tempDir(), tempDir()];
  writeFileSync(join(open, 'agent'), '#!/bin/sh\n');
  chmodSync(join(open, 'agent'), 0o755);
  setIoHook(({ path }) => (path.startsWith(closed) ? { errno } : undefined));
  const path = `${closed}:${open}`;
  expect(isProgram('agent', '/', path)).toBe(true);
  expect(isProgram('nothing', '/', path)).toBe(false);
  expect(isProgram(`${closed}/agent`, '/', path)).toBe(false);
  expect(programNames(path)).toEqual(['agent']);
});
