/** Git knows of a file's mode only whether it can be run: files that were kept from others are kept from them again. */
import { join } from 'node:path';
import * as io from '../../system/io.ts';
import { thingAt } from '../thing.ts';

/** Answers how to take the rights away again that these files did not give when this was called. */
export function rememberModes(toplevel: string, paths: readonly string[]): () => void {
  const withheld = new Map<string, number>();
  for (const path of paths) {
    const found = thingAt(toplevel, path);
    if (found?.isFile()) withheld.set(path, withheldBy(found.mode));
  }
  return () => {
    for (const [path, bits] of withheld) {
      const found = bits === 0 ? null : thingAt(toplevel, path);
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
