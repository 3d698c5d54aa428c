/**
 * What the platform can do, and the only place that asks which one it is. Tests put another in its place, so that what is
 * written for that one runs on theirs; there is no setting for it.
 */

export interface Platform {
  readonly name: 'linux' | 'darwin' | 'win32' | 'other';
  /** `/proc` reaches open files by their number and tells of processes; `/dev/shm` is memory. */
  readonly proc: boolean;
  /** File systems take names that differ only by case or Unicode form for one. */
  readonly folds_names: boolean;
  /** How files are watched: a directory at a time, a whole tree, or not at all. */
  readonly watches: 'directories' | 'tree' | null;
  /** Windows: no owners and modes, no process groups, no directories to sync, `cmd.exe`, names that are reserved. */
  readonly windows: boolean;
}

const POSIX = { proc: false, folds_names: false, watches: null, windows: false } as const;

export const PLATFORMS: Readonly<Record<Platform['name'], Platform>> = {
  linux: { ...POSIX, name: 'linux', proc: true, watches: 'directories' },
  darwin: { ...POSIX, name: 'darwin', folds_names: true, watches: 'tree' },
  win32: { ...POSIX, name: 'win32', folds_names: true, watches: 'tree', windows: true },
  other: { ...POSIX, name: 'other' },
};

const HERE = PLATFORMS[process.platform as Platform['name']] ?? PLATFORMS.other;

export let platform: Platform = HERE;

/** For tests: another one, or what this one can do but for this. Without it, the real one again. */
export function setPlatform(other: Platform['name'] | Partial<Platform> = HERE): void {
  platform = typeof other === 'string' ? PLATFORMS[other] : { ...HERE, ...other };
}
