/** Whether a link would lead out of the workspace, also through other links. Pure. */

import { entryAt, joinPath, parentOf, type Tree } from '../tree/tree.ts';
import type { PlanItem } from './plan.ts';

/** Where the links at a path lead, for a path at which there is one or may be one. */
type LinksAt = (path: string) => readonly string[];

/**
 * True in doubt: what may be a link is followed, and treated as a directory, too. A link in a cycle leads nowhere: the
 * system refuses it.
 */
export function leadsOut(path: string, target: string, linksAt: LinksAt = () => []): boolean {
  return ends(path, target, linksAt, { open: new Set(), ways: 0 }) === 'out';
}

const MOST_WAYS = 1000;

interface Following {
  /** Links that are being followed: meeting one of them again is a cycle. */
  readonly open: Set<string>;
  ways: number;
}

/** Every path where following the link may end; none for a cycle. */
function ends(path: string, target: string, linksAt: LinksAt, following: Following): Set<string> | 'out' {
  if (target.startsWith('/') || target.startsWith('\\') || /^[A-Za-z]:/.test(target)) return 'out';
  const way = `${path}\0${target}`;
  if (following.open.has(way)) return new Set();
  following.ways += 1;
  if (following.ways > MOST_WAYS) return 'out';
  following.open.add(way);
  let places = new Set([parentOf(path)]);
  for (const part of target.split(/[/\\]/).filter((part) => part !== '' && part !== '.')) {
    const next = new Set<string>();
    for (const place of places) {
      if (part === '..' && place === '') return 'out';
      const here = part === '..' ? parentOf(place) : joinPath(place, part);
      next.add(here);
      for (const onward of part === '..' ? [] : linksAt(here)) {
        const found = ends(here, onward, linksAt, following);
        if (found === 'out') return 'out';
        for (const one of found) next.add(one);
      }
    }
    places = next;
  }
  following.open.delete(way);
  return places;
}

/** Those of any of the trees. */
export function linksIn(...trees: readonly Tree[]): LinksAt {
  return (path) =>
    trees.flatMap((tree) => {
      const entry = entryAt(tree, path);
      return entry?.kind === 'symlink' ? [entry.target] : [];
    });
}

/** Links that would lead out are kept as they are, or not created. */
export function withoutLinksOut(items: readonly PlanItem[], ...trees: readonly Tree[]): PlanItem[] {
  const linksAt = linksIn(...trees);
  return items.map((item) => {
    const { path, action, target } = item;
    const isOut = action === 'put' && target?.kind === 'symlink' && leadsOut(path, target.target, linksAt);
    return isOut ? { ...item, action: 'keep', why: 'link_outside' } : item;
  });
}
