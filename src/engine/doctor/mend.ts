/** Repairs what can be repaired safely: what is removed is copied aside first, and no running task is interrupted. */

import { CorruptError, OwnershipError } from '../../errors.ts';
import { loadState } from '../../persistence/state-records.ts';
import type { Claim, Storage } from '../../storage/contract.ts';
import { sequenceOfKey } from '../../task/keys.ts';
import { mendWhole } from '../recovery/mend.ts';
import { claimTask } from '../task/records/claim.ts';
import { forkRecords } from '../task/records/forks.ts';
import { loadHead } from '../task/records/head.ts';
import { enqueue } from '../task/records/queue.ts';
import type { Mend, StoreFinding } from './finding.ts';

export interface Mended {
  readonly task: string | null;
  readonly where: string;
  readonly mend: Mend;
  /** Where the copy of the removed part is; null if nothing was removed. */
  readonly aside: string | null;
}

/** Returns the findings that could be repaired: not those of a running task, or of one that cannot be claimed. */
export async function mendStore(storage: Storage, findings: readonly StoreFinding[]): Promise<Mended[]> {
  const mended: Mended[] = [];
  const mendable = findings.filter(
    (finding): finding is StoreFinding & { mend: Mend } => finding.mend !== null,
  );
  for (const [task, of] of Map.groupBy(mendable, (finding) => finding.task)) {
    const note = ({ where, mend }: (typeof of)[number], aside: string | null) =>
      mended.push({ task, where, mend, aside });
    try {
      const whole = task === null ? [] : of.filter(({ mend }) => mend === 'journal' || mend === 'state');
      if (whole.length > 0) {
        // As a resume does, so that what the lost part did to files is not forgotten.
        const { notes, aside } = await mendWhole(storage, task!);
        if (notes.length > 0) for (const finding of whole) note(finding, aside);
      }
      const claim = task === null ? null : await claimTask(storage, task);
      try {
        for (const finding of of.filter((one) => !whole.includes(one))) {
          const aside = await mendOne(storage, claim, finding);
          if (aside !== undefined) note(finding, aside);
        }
      } finally {
        await claim?.release();
      }
    } catch (error) {
      if (!(error instanceof OwnershipError || error instanceof CorruptError)) throw error;
    }
  }
  return mended;
}

/** Where the copy is; undefined where nothing was done. */
async function mendOne(
  storage: Storage,
  claim: Claim | null,
  { task, where, mend }: StoreFinding & { mend: Mend },
): Promise<string | null | undefined> {
  switch (mend) {
    case 'journal':
      return (await storage.repair(null))?.aside;
    case 'state':
    case 'store':
      return undefined;
    case 'view':
      return claim ? (await storage.repair(task, { fence: claim.fence }))?.aside : undefined;
    case 'checkpoint':
      return claim ? setAside(storage, claim, where.slice('tasks/'.length)) : undefined;
    case 'fork':
      return protect(storage, task!, where.split('/')[1]!);
    case 'queue': {
      const state = await loadState(storage, task!);
      if (state?.status !== 'queued') return undefined;
      await enqueue(storage, state.data);
      return null;
    }
  }
}

/** Only what can be read is copied; the rest stays where it is. */
async function setAside(storage: Storage, { task, fence }: Claim, key: string): Promise<string | undefined> {
  try {
    const record = await storage.get('tasks', key);
    if (!record) return undefined;
    const copy = `${task}/${sequenceOfKey(key) ?? 0}-${record.revision}`;
    await storage.save('aside', copy, { key, data: record.data, at: new Date().toISOString() });
    const removal = { category: 'tasks', key, remove: true, expect: record.revision } as const;
    await storage.commit({ task, fence, records: [removal] });
    return `aside/${copy}`;
  } catch (error) {
    if (error instanceof CorruptError) return undefined;
    throw error;
  }
}

async function protect(storage: Storage, child: string, parent: string): Promise<null | undefined> {
  const head = await loadHead(storage, child);
  const share = head?.lineage.find(({ task }) => task === parent);
  if (!share) return undefined;
  await storage.commit({
    task: null,
    records: forkRecords({ task_id: child, lineage: [share] }, head!.created_at),
  });
  return null;
}
