/** The time by the clock that stamps files in a workspace, found by touching one. */
import { join } from 'node:path';
import { ensureDir, openIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { refuseLinks } from '../../system/own-files.ts';

interface FileClock {
  now(): number;
  close(): void;
}

/** The resolution of the coarsest file system in use. */
const COARSEST_MS = 2_000;

const BYTE = Buffer.from('0');

export function openFileClock(stateDir: string, root: string): FileClock {
  let file: io.OpenFile | undefined;
  return {
    now() {
      file ??= openTouched(stateDir);
      io.write(file, BYTE, 0, 0);
      const { mtimeMs, dev } = io.fstat(file);
      return dev === io.lstat(root)?.dev ? mtimeMs : mtimeMs - COARSEST_MS;
    },
    close() {
      if (file) io.close(file);
      file = undefined;
    },
  };
}

/** Not truncated: ext4 begins to write a file to the disk that was, when it is closed. */
function openTouched(stateDir: string): io.OpenFile {
  ensureDir(stateDir);
  const path = join(stateDir, 'clock');
  refuseLinks([path]);
  return openIfExists(path, 'r+') ?? io.open(path, 'w');
}
