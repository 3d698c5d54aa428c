/**
 * Three versions of a text file into one, in this process and on exact bytes. Changes that do not touch are both taken;
 * where they touch and differ there is a conflict, which is a value, not an error.
 */
import { InvalidInputError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { lineReader } from './lines.ts';
import type { ConflictMarkers } from './markers.ts';
import { type TextPiece, toPieces } from './pieces.ts';
import { matchRarest } from './rarest.ts';
import { findRegions, type Region, type Sides } from './regions.ts';
import { type TextMerge, toResult } from './result.ts';
import { matchShortest } from './shortest.ts';
import { type ConflictStyle, inStyle } from './style.ts';

export interface MergeOptions {
  /** How conflicts are written out; default: `zdiff3`. */
  readonly style?: ConflictStyle;
  /** The text after the markers. */
  readonly labels?: { readonly ours?: string; readonly base?: string; readonly theirs?: string };
  /** How many characters a marker has; default: 7. */
  readonly markerSize?: number;
  /** Larger files are not merged; default: 32 MiB. */
  readonly maxBytes?: number;
}

/** A string is merged as UTF-8. */
type TextContent = Uint8Array | string;

const MAX_BYTES = 32 * 1024 * 1024;
/** As far into a file as git looks for a NUL. */
const BINARY_WITHIN = 8_000;

/** `base` is what both started from; `ours` comes first between the markers. */
export function mergeText(
  base: TextContent,
  ours: TextContent,
  theirs: TextContent,
  options: MergeOptions = {},
): TextMerge {
  const files = { base: toBytes(base), ours: toBytes(ours), theirs: toBytes(theirs) };
  const markers: ConflictMarkers = {
    style: options.style ?? 'zdiff3',
    labels: { ours: 'ours', base: 'base', theirs: 'theirs', ...options.labels },
    size: options.markerSize ?? 7,
  };
  const settled = (bytes: Uint8Array) => toResult([{ kind: 'settled', bytes }], markers);
  if (sameBytes(files.ours, files.theirs) || sameBytes(files.base, files.theirs)) return settled(files.ours);
  if (sameBytes(files.base, files.ours)) return settled(files.theirs);

  const reason = whyUnmergeable(Object.values(files), options.maxBytes ?? MAX_BYTES);
  if (reason) return toResult([wholeFile(files)], markers, reason);

  const read = lineReader();
  const sides = { base: read(files.base), ours: read(files.ours), theirs: read(files.theirs) };
  const regions = findSafeRegions(sides);
  const pieces = toPieces(sides, inStyle(markers.style, sides, regions));
  return toResult(pieces, markers);
}

/**
 * Which lines belong together is a guess, and a wrong guess can make a clean merge that is wrong. So two ways of guessing
 * must both find the merge clean. Conflicts are shown as the rarest lines divide them, which reads better.
 */
function findSafeRegions(sides: Sides): Region[] {
  const regions = findRegions(sides, matchRarest);
  return regions.some(({ kind }) => kind === 'conflict') ? regions : findRegions(sides, matchShortest);
}

function toBytes(content: TextContent): Uint8Array {
  if (typeof content !== 'string') return content;
  if (content.isWellFormed()) return Buffer.from(content);
  throw new InvalidInputError(
    'USAGE',
    phrase`The text to merge holds half a surrogate pair: it has no UTF-8 form.`,
    {
      hint: phrase`Pass the bytes of the file instead of text.`,
    },
  );
}

function whyUnmergeable(files: readonly Uint8Array[], maxBytes: number): TextMerge['reason'] {
  if (files.some((bytes) => bytes.subarray(0, BINARY_WITHIN).includes(0))) return 'binary';
  if (files.some((bytes) => bytes.length > maxBytes)) return 'too large';
  return undefined;
}

function wholeFile(files: Readonly<Record<keyof Sides, Uint8Array>>): TextPiece {
  const none = { from: 0, to: 0 };
  return { kind: 'conflict', ...files, lines: { base: none, ours: none, theirs: none }, newline: '\n' };
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
