/** Somebody's hands: does to files what it is told, in a process of its own, a line each; says when it is done. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

export interface Deed {
  readonly do: keyof typeof DEEDS;
  readonly path: string;
  /** The text, the mode in octal digits, where a link leads, or where it moves. */
  readonly with: string;
}

export const DEEDS = {
  write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  },
  append: (path: string, text: string): void => appendFileSync(path, text),
  /** As many editors do. */
  save(path: string, text: string): void {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  },
  /** With times that say nothing. */
  forge(path: string, text: string): void {
    writeFileSync(path, text);
    utimesSync(path, 1, 1);
  },
  remove: (path: string): void => rmSync(path, { recursive: true }),
  mode: (path: string, mode: string): void => chmodSync(path, mode),
  link(path: string, target: string): void {
    rmSync(path);
    symlinkSync(target, path);
  },
  move: (path: string, to: string): void => renameSync(path, to),
};

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    const deed = JSON.parse(line) as Deed;
    DEEDS[deed.do](deed.path, deed.with);
    process.stdout.write('done\n');
  }
}
