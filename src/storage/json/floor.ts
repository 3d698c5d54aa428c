/** Numbers of a task that was removed are not used again when a task of that id is created again. */

import { phrase } from '../../phrase.ts';
import { readIfExists, replaceFile } from '../../system/files.ts';
import type { Layout } from './layout.ts';
import { damaged } from './log.ts';

/** Above the numbers of every task that was removed. */
export function readFloor(layout: Layout): number {
  const text = readIfExists(layout.floorFile)?.toString('utf8');
  if (text === undefined) return 0;
  if (!/^\d{1,15}\n$/.test(text)) throw damaged(layout.floorFile, 0, phrase`it is not a number`);
  return Number(text);
}

export function raiseFloor(layout: Layout, to: number): void {
  if (to > readFloor(layout)) replaceFile(layout.floorFile, Buffer.from(`${to}\n`));
}
