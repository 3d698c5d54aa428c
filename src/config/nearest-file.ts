/** The file someone probably meant, of those in the same directory. */
import { basename, dirname, join } from 'node:path';
import { namesIn } from '../system/files.ts';
import { nearest } from './nearest.ts';

export function nearestFile(path: string): string | undefined {
  const names = namesIn(dirname(path)).map(({ name }) => name);
  const near = nearest(basename(path), names);
  return near === undefined ? undefined : join(dirname(path), near);
}
