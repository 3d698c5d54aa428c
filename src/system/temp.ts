/** Directories that nobody else can look into, for as long as one call takes. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from './ids.ts';
import * as io from './io.ts';

export function makeTempDir(prefix: string): string {
  const path = join(tmpdir(), newId(prefix));
  io.mkdir(path);
  return path;
}
