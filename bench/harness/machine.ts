/** What a figure has to be read against: the machine it was measured on. */
import { statfsSync } from 'node:fs';
import { cpus, loadavg, release, type } from 'node:os';

export interface MachineFacts {
  readonly platform: string;
  readonly cpus: number;
  readonly cpu: string;
  /** How many processes wanted a processor during the last minute: above `cpus`, times are not to be trusted. */
  readonly load: number;
  readonly node: string;
  readonly file_system: string;
}

/** Magic numbers of Linux's statfs(2). */
const FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x2fc12fc1, 'zfs'],
  [0xf2f52010, 'f2fs'],
  [0x794c7630, 'overlayfs'],
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
]);

const IN_MEMORY = new Set(['tmpfs', 'ramfs']);

export function machineFacts(directory: string): MachineFacts {
  return {
    platform: `${type()} ${release()}`,
    cpus: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    load: loadNow(),
    node: process.versions.node,
    file_system: fileSystemName(directory),
  };
}

export function loadNow(): number {
  return Number(loadavg()[0]!.toFixed(1));
}

export function fileSystemName(path: string): string {
  const magic = statfsSync(path).type >>> 0;
  const name = process.platform === 'linux' ? FILE_SYSTEMS.get(magic) : undefined;
  return name ?? `file system 0x${magic.toString(16)}`;
}

/** Where a sync costs nothing, and a figure about syncs would mean nothing. */
export function isInMemory(path: string): boolean {
  return IN_MEMORY.has(fileSystemName(path));
}
