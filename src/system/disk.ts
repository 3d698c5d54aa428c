/** What kind of disk a path is on, and how full it is. */

import * as io from './io.ts';
import { platform } from './platform.ts';

/** Magic numbers of Linux's statfs(2) for file systems that live on another machine. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
]);

export function fileSystemOf(path: string): { network: boolean; name: string } {
  const type = Number(io.statfs(path).type) >>> 0;
  const name = platform.proc ? NETWORK.get(type) : undefined;
  return { network: name !== undefined, name: name ?? `type 0x${type.toString(16)}` };
}

/** How much of the disk is used, in per cent of what an ordinary user can have. */
export function diskUsage(path: string): { used_percent: number; free_bytes: number } {
  const { blocks, bfree, bavail, bsize } = io.statfs(path);
  const used = blocks - bfree;
  return { used_percent: (100 * used) / Math.max(1, used + bavail), free_bytes: bavail * bsize };
}
