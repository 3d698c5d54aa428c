/** The calls that change what is on the disk: where a process that dies leaves something half done. */
import type { IoOp } from '../../src/system/io.ts';

export const DISK_CHANGES: ReadonlySet<IoOp> = new Set([
  'write',
  'fsync',
  'fdatasync',
  'truncate',
  'rename',
  'unlink',
  'mkdir',
  'rmdir',
  'link',
  'symlink',
  'chmod',
  'utimes',
]);
