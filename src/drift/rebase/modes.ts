/** Git only knows the executable bit of a file's mode: files that were closed to others are closed again. */
import { join } from 'node:path';
import * as io from '../../system/io.ts';
import { lstatInside } from '../lstat-inside.ts';

/** Returns a function that removes the permissions that these files did not have at the time of this call. */
export function rememberModes(toplevel: string, paths: readonly string[]): () => void {
  const withheld = new Map<string, number>();
  for (const path of paths) {
    const found = lstatInside(toplevel, path);
    if (found?.isFile()) withheld.set(path, withheldBy(found.mode));
  }
  return () => {
    for (const [path, bits] of withheld) {
      const found = bits === 0 ? null : lstatInside(toplevel, path);
      if (found?.isFile() && (found.mode & bits) !== 0)
        withhold(join(toplevel, path), found.mode & 0o777 & ~bits);
    }
  };
}

/** Who may not read it may not run it either; whether it can be run at all is for git to say. */
function withheldBy(mode: number): number {
  const [group, others] = [(mode & 0o040) === 0 ? 0o070 : 0, (mode & 0o004) === 0 ? 0o007 : 0];
  return group | others | (0o022 & ~mode);
}

function withhold(path: string, mode: number): void {
  const file = io.open(path, io.READ_NO_FOLLOW);
  try {
    io.chmod(file, mode);
  } finally {
    io.close(file);
  }
}
