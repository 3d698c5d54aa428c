/** Real merges to measure with, from outside the project. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface RealMerge {
  readonly base: Buffer;
  readonly ours: Buffer;
  readonly theirs: Buffer;
  /** What the people who merged it have. */
  readonly human: Buffer;
}

/** Takes `--corpus DIR` out of the arguments. */
export function takeCorpus(args: readonly string[]): { corpus: string | undefined; rest: string[] } {
  const at = args.indexOf('--corpus');
  if (at === -1) return { corpus: undefined, rest: [...args] };
  return { corpus: args[at + 1], rest: args.toSpliced(at, 2) };
}

export function readCorpus(directory: string): RealMerge[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.jsonl.gz'));
  if (files.length === 0) throw new Error(`${directory} has no *.jsonl.gz.`);
  return files.flatMap((name) =>
    gunzipSync(readFileSync(join(directory, name)))
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => toMerge(JSON.parse(line) as Record<keyof RealMerge, string | null>)),
  );
}

function toMerge(row: Record<keyof RealMerge, string | null>): RealMerge {
  const bytes = (name: keyof RealMerge) => Buffer.from(row[name] ?? '');
  return { base: bytes('base'), ours: bytes('ours'), theirs: bytes('theirs'), human: bytes('human') };
}
