/** Files that are too large to be held at once: written whole or not at all, read in parts. */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { discard, readInto, syncDir, writeAll } from './files.ts';
import * as io from './io.ts';

/** Puts the file in place once all of it is on disk. Fails with EEXIST if the path exists and may not be replaced. */
export async function writeParts(
  path: string,
  parts: AsyncIterable<Uint8Array>,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<number> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const file = io.open(temporary, 'wx');
  let bytes = 0;
  try {
    for await (const part of parts) {
      writeAll(file, part);
      bytes += part.length;
    }
    io.fsync(file);
    io.close(file);
    if (replace) io.rename(temporary, path);
    else {
      io.link(temporary, path);
      io.unlink(temporary);
    }
  } catch (error) {
    discard(file, temporary);
    throw io.withPath(error, temporary, path);
  }
  syncDir(dirname(path));
  return bytes;
}

const PART = 256 * 1024;

export async function* readParts(path: string): AsyncGenerator<Buffer> {
  const file = io.open(path, 'r');
  try {
    for (let at = 0; ; ) {
      const part = Buffer.alloc(PART);
      const count = readInto(file, part, at);
      if (count === 0) return;
      yield part.subarray(0, count);
      at += count;
    }
  } finally {
    io.close(file);
  }
}
