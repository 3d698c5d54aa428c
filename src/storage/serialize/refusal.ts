/** Why a value cannot be stored, and where inside it: the path is put together while the walk unwinds. */

import { NotSerialisableError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { shortened } from '../../system/shortened.ts';
import { MAX_BIGINT_DIGITS, MAX_DEPTH, MAX_TEXT } from './limits.ts';

const REASONS = {
  function: [
    phrase`it is a function`,
    phrase`Leave functions out; store what is needed to create them again.`,
  ],
  symbol: [phrase`it is a symbol`, phrase`Store a string instead.`],
  symbol_key: [
    phrase`it has a key that is a symbol`,
    phrase`Use strings as keys, or make the property non-enumerable.`,
  ],
  instance: [
    phrase`it is an instance of a class that is not registered`,
    phrase`Store plain data instead, or register the class: registerClass({ name, class, toDict, fromDict }).`,
  ],
  promise: [phrase`it is a promise`, phrase`Await it, and store what it resolves to.`],
  cycle: [phrase`it contains itself`, phrase`Store an id in its place, and look it up after loading.`],
  too_deep: [
    phrase`it is nested more than ${MAX_DEPTH} levels deep`,
    phrase`Flatten the value, for example into a list with ids.`,
  ],
  too_large: [
    phrase`its text is longer than ${MAX_TEXT} characters`,
    phrase`Store large content as blobs, and their ids in the value.`,
  ],
  too_many_digits: [phrase`it has more than ${MAX_BIGINT_DIGITS} digits`, phrase`Store its bytes instead.`],
  hole: [phrase`it is a hole in a sparse array`, phrase`Fill it with null or undefined, or use a Map.`],
  named_property: [
    phrase`it has a named property in addition to its contents`,
    phrase`Copy the contents ([...list], new Map(map)), and store the property apart.`,
  ],
  invalid_date: [phrase`it is an invalid date`, phrase`Store null where there is no date.`],
  unstable: [phrase`it would not come back the same`, phrase`Store its text instead.`],
  threw: [
    phrase`reading it threw`,
    phrase`Make the getter, proxy or toDict behind it answer, or leave it out.`,
  ],
} as const;

type Reason = keyof typeof REASONS;

/** Thrown inside the walk only; `notSerialisable` turns it into what callers see. */
export class Refusal {
  readonly reason: Reason;
  readonly detail: string | undefined;
  readonly cause: unknown;
  /** From the place outwards, one for each container that was left. */
  readonly segments: string[] = [];
  readonly containers: object[] = [];

  constructor(reason: Reason, detail?: string, cause?: unknown) {
    this.reason = reason;
    this.detail = detail;
    this.cause = cause;
  }

  /** What was thrown, as a refusal that knows one more step of its path. */
  static within(container: object, segment: string, thrown: unknown): Refusal {
    const refusal = Refusal.from(thrown);
    refusal.segments.push(segment);
    refusal.containers.push(container);
    return refusal;
  }

  static from(thrown: unknown): Refusal {
    return thrown instanceof Refusal ? thrown : new Refusal('threw', messageOf(thrown), thrown);
  }
}

export function notSerialisable(thrown: unknown): NotSerialisableError {
  const refusal = Refusal.from(thrown);
  const segments = refusal.segments.toReversed();
  const containers = refusal.containers.toReversed();
  const cycle = refusal.reason === 'too_deep' ? findCycle(containers) : undefined;
  const path = join(cycle ? segments.slice(0, cycle.end) : segments);
  const reason = cycle ? 'cycle' : refusal.reason;
  const detail = cycle ? name(join(segments.slice(0, cycle.start))) : refusal.detail;
  const [why, hint] = REASONS[reason];
  return new NotSerialisableError(
    phrase`Cannot store ${name(path)}: ${why}${detail ? ` (${detail})` : ''}.`,
    {
      data: { path, reason, ...(detail === undefined ? {} : { detail }) },
      hint,
      ...(refusal.cause === undefined ? {} : { cause: refusal.cause }),
    },
  );
}

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
const LONGEST_SHOWN = 80;

export function memberSegment(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return isShort(key) ? `.${key}` : `[${quoted(key)}]`;
}

/** A place in a Map or Set: by its key where that can be shown, else by its number. */
export function entrySegment(index: number, key?: unknown): string {
  if (typeof key === 'string') return `<${isShort(key) ? key : quoted(key)}>`;
  if (typeof key === 'number' || typeof key === 'boolean' || typeof key === 'bigint') return `<${key}>`;
  return `<#${index}>`;
}

function isShort(key: string): boolean {
  return key.length <= LONGEST_SHOWN && IDENTIFIER.test(key);
}

function quoted(key: string): string {
  return JSON.stringify(shortened(key, LONGEST_SHOWN));
}

function join(segments: readonly string[]): string {
  return segments.join('').replace(/^\./, '');
}

function name(path: string): string {
  return path === '' ? phrase`the value itself` : path;
}

/** Where the chain of containers meets one of its own a second time. */
function findCycle(containers: readonly object[]): { start: number; end: number } | undefined {
  const seen = new Map<object, number>();
  for (const [index, container] of containers.entries()) {
    const start = seen.get(container);
    if (start !== undefined) return { start, end: index };
    seen.set(container, index);
  }
  return undefined;
}

function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  } catch {
    // Even reading it may throw.
    return phrase`an error that cannot be shown`;
  }
}
