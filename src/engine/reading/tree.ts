/** Tasks and what was forked from them, as a tree. */
import { CorruptError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { keysIn } from '../../storage/walk.ts';
import { type StatusFacts, statusFacts } from '../../task/status.ts';
import { parseEntry } from '../task/entries.ts';
import { FORK } from '../task/records/forks.ts';
import { type Head, isDead, readableHead } from '../task/records/head.ts';
import { readableState, requireTask } from '../task/tasks.ts';
import { type RowSource, rowOf } from './row.ts';

export interface TreeNode {
  readonly task: string;
  readonly name: string;
  /** Null where its state cannot be read, or is gone. */
  readonly facts: StatusFacts | null;
  /** The checkpoint of the task above that it was forked from. */
  readonly checkpoint: string | null;
  readonly at: string;
  /** It did itself, without what it shares with the task above, and without what was rolled back. */
  readonly steps: number;
  readonly children: readonly TreeNode[];
  /** What was rolled back: when, and which entries. */
  readonly dead: readonly { readonly at: string; readonly from: number; readonly to: number }[];
}

/** `task: null`: all that were forked, or are forks; newest family first. */
export async function readTree(source: RowSource, task: string | null): Promise<TreeNode[]> {
  const { storage } = source;
  const heads = new Map<string, Head>();
  if (task !== null) heads.set(task, (await requireTask(storage, task)).head);
  const roots = task === null ? await everyRoot(storage, heads) : [rootOf(heads.get(task)!)];
  const nodes: TreeNode[] = [];
  for (const root of roots.sort().reverse()) {
    const members = await familyOf(storage, root, heads);
    const top = members.get(root);
    if (top) nodes.push(await nodeOf(source, top, members));
    // The task that they come from was removed.
    else for (const one of eldest(members)) nodes.push(await nodeOf(source, one, members));
  }
  return nodes;
}

function rootOf({ lineage, task_id }: Head): string {
  return lineage[0]?.task ?? task_id;
}

async function everyRoot(storage: Storage, heads: Map<string, Head>): Promise<string[]> {
  const roots = new Set<string>();
  for (const key of await keysIn(storage, FORK.category)) {
    const child = key.slice(key.indexOf('/') + 1);
    const head = heads.get(child) ?? (await readableHead(storage, child));
    if (!head) continue;
    heads.set(child, head);
    roots.add(rootOf(head));
  }
  return [...roots];
}

/** Every fork of a fork reads the journal of the first, and is noted there. */
async function familyOf(
  storage: Storage,
  root: string,
  heads: Map<string, Head>,
): Promise<Map<string, Head>> {
  const forks = (await keysIn(storage, FORK.category, `${root}/`)).map((key) => key.slice(root.length + 1));
  const members = new Map<string, Head>();
  for (const id of [root, ...forks]) {
    const head = heads.get(id) ?? (await readableHead(storage, id));
    if (head) members.set(id, head);
  }
  return members;
}

function eldest(members: ReadonlyMap<string, Head>): Head[] {
  return [...members.values()].filter(({ lineage }) => !members.has(lineage.at(-1)?.task ?? ''));
}

async function nodeOf(source: RowSource, head: Head, members: ReadonlyMap<string, Head>): Promise<TreeNode> {
  const { task_id: task, task_name: name, created_at: at, lineage } = head;
  const children: TreeNode[] = [];
  for (const one of [...members.values()].sort((a, b) => (a.created_at < b.created_at ? -1 : 1)))
    if (one.lineage.at(-1)?.task === task) children.push(await nodeOf(source, one, members));
  const state = await readableState(source.storage, task);
  const facts = state && statusFacts(await rowOf(source, state));
  const checkpoint = lineage.at(-1)?.checkpoint ?? null;
  return { task, name, facts, checkpoint, at, ...(await ownPart(source.storage, head)), children };
}

/** As far as its journal can be read. */
async function ownPart(storage: Storage, head: Head): Promise<Pick<TreeNode, 'steps' | 'dead'>> {
  const dead: { at: string; from: number; to: number }[] = [];
  let steps = 0;
  try {
    for await (const part of storage.readParts(head.task_id))
      for (const { seq, data } of part) {
        const { t } = data as { t?: unknown };
        if (t === 'rollback' && !isDead(head.dead, seq)) {
          const entry = parseEntry(data, seq);
          if (entry.t === 'rollback' && entry.to < seq - 1)
            dead.push({ at: entry.at, from: entry.to + 1, to: seq - 1 });
        }
        if (t === 'step' && !isDead(head.dead, seq)) steps++;
      }
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
  }
  return { steps, dead };
}
