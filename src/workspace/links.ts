/** Whether a link would lead out of the workspace, also by way of other links. Pure. */
import type { PlanItem } from './plan.ts';
import { entryAt, type Tree } from './tree.ts';

/** Where the links at a path lead, for a path at which there is one or may be one. */
export type LinksAt = (path: string) => readonly string[];

/** In doubt yes: what may be a link is followed, and taken for a directory too. One that leads round and round stays inside. */
export function leadsOut(path: string, target: string, linksAt: LinksAt = () => []): boolean {
  return leaves(path, target, linksAt, new Set());
}

const MOST_WAYS = 1000;

function leaves(path: string, target: string, linksAt: LinksAt, been: Set<string>): boolean {
  if (target.startsWith('/') || target.startsWith('\\') || /^[A-Za-z]:/.test(target)) return true;
  const way = `${path}\0${target}`;
  if (been.has(way)) return false;
  if (been.size > MOST_WAYS) return true;
  been.add(way);
  const at = path.split('/').slice(0, -1);
  const parts = target.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  for (const [index, part] of parts.entries()) {
    if (part !== '..') at.push(part);
    else if (at.pop() === undefined) return true;
    const here = at.join('/');
    const rest = parts.slice(index + 1);
    const onward = part === '..' ? [] : linksAt(here);
    if (onward.some((next) => leaves(here, [next, ...rest].join('/'), linksAt, been))) return true;
  }
  return false;
}

/** Those of any of the trees. */
export function linksIn(...trees: readonly Tree[]): LinksAt {
  return (path) =>
    trees.flatMap((tree) => {
      const entry = entryAt(tree, path);
      return entry?.kind === 'symlink' ? [entry.target] : [];
    });
}

/** Links that would lead out are kept as they are, or not made. */
export function withoutLinksOut(items: readonly PlanItem[], ...trees: readonly Tree[]): PlanItem[] {
  const linksAt = linksIn(...trees);
  return items.map((item) => {
    const { path, action, target } = item;
    const isOut = action === 'put' && target?.kind === 'symlink' && leadsOut(path, target.target, linksAt);
    return isOut ? { ...item, action: 'keep', why: 'link_outside' } : item;
  });
}
