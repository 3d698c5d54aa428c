/** `forks/{ancestor}/{child}`: written before the fork, so that clean-up keeps the journal that it continues. */
import * as z from 'zod';
import type { RecordWrite, Storage } from '../../../storage/contract.ts';
import type { Head } from './head.ts';
import type { RecordKind } from './kind.ts';

export const FORK: RecordKind = { category: 'forks', key: '*/{task}', travels: 'here', keeps: 'all' };

export function forkKey(ancestor: string, child: string): string {
  return `${ancestor}/${child}`;
}

/** One per journal it reads, so that each is kept even if those in between are removed; and the files. */
export function forkRecords(
  { task_id: child, lineage }: Pick<Head, 'task_id' | 'lineage'>,
  at: string,
  snapshot?: string,
): RecordWrite[] {
  return lineage.map(({ task, to, dead, checkpoint }) => ({
    category: FORK.category,
    key: forkKey(task, child),
    data: { task, child, to, dead, checkpoint, at, ...(snapshot === undefined ? {} : { snapshot }) },
  }));
}

export async function dropForkRecords(
  storage: Storage,
  { task_id: child, lineage }: Pick<Head, 'task_id' | 'lineage'>,
): Promise<void> {
  for (const { task } of lineage) await storage.delete(FORK.category, forkKey(task, child));
}

const schema = z.object({
  to: z.int().min(0),
  dead: z.array(z.tuple([z.int(), z.int()])),
  at: z.iso.datetime(),
});

export function parseShare(stored: unknown): z.infer<typeof schema> | null {
  return schema.safeParse(stored).data ?? null;
}
