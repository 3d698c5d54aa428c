/** Checks of an answer to a conflict, whichever resolver gave it. */
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import type { ConflictedFile } from './conflicted-file.ts';

export type ResolutionProblem = 'markers left' | 'does not parse' | 'nothing left' | 'line endings changed';

export function problemsIn(file: ConflictedFile, bytes: Uint8Array): ResolutionProblem[] {
  const complaints: ResolutionProblem[] = [];
  if (hasNewMarkers(file, bytes)) complaints.push('markers left');
  if (!parsesAsBefore(file, bytes)) complaints.push('does not parse');
  if (bytes.length === 0 && file.ours.length > 0 && file.theirs.length > 0) complaints.push('nothing left');
  if (changesLineEnds(file, bytes)) complaints.push('line endings changed');
  return complaints;
}

/** A file may show markers on purpose, such as one about merging; but no more of them than its sides do. */
function hasNewMarkers({ ours, theirs, merge }: ConflictedFile, bytes: Uint8Array): boolean {
  const { size } = merge.markers;
  const marker = new RegExp(`^(?:<{${size}}|\\|{${size}}|={${size}}|>{${size}})(?: |\\r?$)`, 'gm');
  const count = (text: Uint8Array) => latin(text).match(marker)?.length ?? 0;
  return count(bytes) > Math.max(count(ours), count(theirs));
}

/** Where both sides end all lines alike, the answer has to do the same: it often comes with LF only. */
function changesLineEnds({ ours, theirs }: ConflictedFile, bytes: Uint8Array): boolean {
  const [one, other] = [lineEndsOf(ours), lineEndsOf(theirs)];
  if (one.size !== 1 || !sameSet(one, other)) return false;
  const now = lineEndsOf(bytes);
  return now.size > 0 && !sameSet(now, one);
}

function lineEndsOf(bytes: Uint8Array): Set<string> {
  return new Set(latin(bytes).match(/\r?\n/g) ?? []);
}

function sameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one));
}

type Parser = (text: string) => unknown;

const PARSERS: Readonly<Record<string, Parser>> = {
  '.json': (text) => JSON.parse(text),
  '.js': parseScript,
  '.mjs': parseScript,
  '.cjs': parseScript,
  '.ts': parseScript,
  '.mts': parseScript,
  '.cts': parseScript,
};

/** If a parser is available that reads both sides, it has to read the answer, too. */
function parsesAsBefore({ path, ours, theirs }: ConflictedFile, bytes: Uint8Array): boolean {
  const parse = PARSERS[extname(path).toLowerCase()];
  if (!parse) return true;
  const reads = (text: Uint8Array) => {
    try {
      parse(Buffer.from(text).toString());
      return true;
    } catch {
      return false; // Whatever a parser throws, it does not parse.
    }
  };
  return !reads(ours) || !reads(theirs) || reads(bytes);
}

/** Throws unless it is JavaScript, or TypeScript whose types can be stripped. */
function parseScript(text: string): void {
  stripTypeScriptTypes(text, { mode: 'strip' });
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
