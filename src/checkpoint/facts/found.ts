/** What was found in one message or tool call. Looking through a text takes far longer than reading it, so it is kept. */

export interface Found {
  readonly decisions: Set<string>;
  readonly paths: Set<string>;
  readonly commands: Set<string>;
  readonly errors: Set<string>;
  readonly links: Set<string>;
}

export function nothingFound(): Found {
  const empty = () => new Set<string>();
  return { decisions: empty(), paths: empty(), commands: empty(), errors: empty(), links: empty() };
}

/** The same as it is kept: most texts have few facts, or none. */
type FactList = readonly (readonly [keyof Found, string])[];

export function addFound(all: Found, found: FactList): void {
  for (const [kind, fact] of found) all[kind].add(fact);
}

/** By the hash of the journal at its entry, which covers the entry. */
const known = new Map<string, FactList>();
let size = 0;
/** Bytes, about. */
const LARGEST = 8_000_000;
const PER_ENTRY = 150;
const PER_FACT = 100;

export function foundAt(hash: string | undefined, look: (found: Found) => void): FactList {
  const before = hash === undefined ? undefined : known.get(hash);
  if (before) return before;
  const found = nothingFound();
  look(found);
  const kept = listOf(found);
  if (hash !== undefined) note(hash, kept);
  return kept;
}

function note(hash: string, kept: FactList): void {
  size += kept.reduce((sum, [, fact]) => sum + PER_FACT + fact.length, PER_ENTRY);
  if (size > LARGEST) {
    known.clear();
    size = 0;
  }
  known.set(hash, kept);
}

const NOTHING: FactList = [];

function listOf(found: Found): FactList {
  const kept = KINDS.flatMap((kind) => [...found[kind]].map((fact) => [kind, fact] as const));
  return kept.length === 0 ? NOTHING : kept;
}

const KINDS = Object.keys(nothingFound()) as readonly (keyof Found)[];
