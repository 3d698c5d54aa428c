/** Cuts: ranges of entries that no longer count, each with the chain's hash at its end. They never touch each other. */
import type { DatabaseSync } from 'node:sqlite';
import { withoutSpans } from '../ranges.ts';
import type { Head } from './heads.ts';
import { seal } from './seal.ts';

export interface Cut {
  readonly first: number;
  readonly last: number;
  /** The chain's hash at `last`. */
  readonly hash: string;
}

/** Entry numbers, both inclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Cuts {
  /** In order; those that do not match their checksum apart. */
  of(head: Head): { readonly intact: Cut[]; readonly damaged: Cut[] };
  put(head: Head, cut: Cut): void;
  /** Deletes those that start in this span. */
  remove(head: number, from: number, to: number): void;
}

export function openCuts(db: DatabaseSync): Cuts {
  const select = db.prepare('SELECT first, last, hash, checksum FROM cuts WHERE head = ? ORDER BY first');
  const insert = db.prepare('INSERT INTO cuts (head, first, last, hash, checksum) VALUES (?, ?, ?, ?, ?)');
  const drop = db.prepare('DELETE FROM cuts WHERE head = ? AND first >= ? AND first <= ?');
  return {
    of(head) {
      const rows = select.all(head.id) as unknown as (Cut & { checksum: number })[];
      const { intact = [], damaged = [] } = Object.groupBy(rows, (row) =>
        sealCut(head, row) === row.checksum ? 'intact' : 'damaged',
      );
      return { intact, damaged };
    },
    put(head, cut) {
      insert.run(head.id, cut.first, cut.last, cut.hash, sealCut(head, cut));
    },
    remove(head, from, to) {
      drop.run(head, from, to);
    },
  };
}

/** The span together with every cut that overlaps or adjoins it. */
export function joined(span: Span, cuts: readonly Cut[]): Span {
  const touching = cuts.filter((cut) => cut.first <= span.to + 1 && cut.last >= span.from - 1);
  return {
    from: Math.min(span.from, ...touching.map((cut) => cut.first)),
    to: Math.max(span.to, ...touching.map((cut) => cut.last)),
  };
}

/** What is left of a span, lowest part first. */
export function withoutCuts({ from, to }: Span, cuts: readonly Cut[]): Span[] {
  const left = withoutSpans(
    [[from, to]],
    cuts.map(({ first, last }) => [first, last] as const),
  );
  return left.map(([first, last]) => ({ from: first, to: last }));
}

function sealCut(head: Head, cut: Cut): number {
  return seal(`${head.task}\n${cut.first}\n${cut.last}\n${cut.hash}`);
}
