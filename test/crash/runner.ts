/** Carries out a lane's operations on a store, one after the other. */
import type { Claim, Commit, RecordWrite, Storage } from '../../src/storage/contract.ts';
import { isShared, type Lane, type Op, type Write } from './workload.ts';

export interface LaneRunner {
  /** Carries out operation n; resolves when the store has acknowledged it. */
  run(n: number): Promise<void>;
  /** What a caller does now and then beside writing; changes nothing that can be read. */
  tend(n: number): Promise<void>;
}

export function runLane(storage: Storage, lane: Lane): LaneRunner {
  let claim: Claim | undefined;
  const fenceFor = async (task: string): Promise<number> => {
    if (claim?.task !== task) {
      await claim?.release();
      claim = undefined;
      claim = await storage.claim(task);
    }
    return claim.fence;
  };
  return {
    async run(n) {
      const op = lane.op(n);
      if (op.kind === 'records') {
        await storage.commit({ task: null, records: op.records.map(asWrite) });
      } else if (op.kind === 'remove-task') {
        await storage.removeTask(op.task, { fence: await fenceFor(op.task) });
      } else {
        await runTaskOp(storage, op, await fenceFor(op.task), n);
      }
    },
    async tend(n) {
      if (n % 7 === 3) await storage.flush();
      if (n % 9 === 5 && claim) {
        await dropUnused(storage, claim.task, lane, n);
        await storage.compact(claim.task, { fence: claim.fence });
      }
    },
  };
}

async function runTaskOp(
  storage: Storage,
  op: Extract<Op, { kind: 'commit' | 'cut' }>,
  fence: number,
  n: number,
): Promise<void> {
  const records = op.records.map(asWrite);
  if (n % 2 === 0) {
    // The others rely on their fence alone, as engines do.
    const head = await storage.get('tasks', `${op.task}/state`);
    records[0] = { ...records[0]!, expect: head?.revision ?? 0 };
  }
  const commit: Commit = { task: op.task, fence, records };
  if (op.kind === 'cut') {
    await storage.commit({ ...commit, cut: { from: op.from, to: op.to } });
    return;
  }
  const own = op.blobs.filter(({ id }) => !isShared(id));
  const shared = op.blobs.filter(({ id }) => isShared(id));
  if (own.length > 0) await storage.putBlobs(op.task, own);
  if (shared.length > 0) await storage.promiseBlobs(shared);
  const after = await storage.position(op.task);
  await storage.commit({ ...commit, append: { after, entries: op.entries } });
}

/** Deletes the blobs that nothing names after operation n, as a clean-up does. */
async function dropUnused(storage: Storage, task: string, lane: Lane, n: number): Promise<void> {
  const { tasks, records } = lane.state(n);
  const values = [...Object.values(records), ...(tasks[task]?.journal ?? []).map(([, value]) => value)];
  const used = new Set(values.flatMap((value) => value.blobs));
  const unused: string[] = [];
  for await (const { id } of storage.listBlobs(task)) if (!used.has(id)) unused.push(id);
  if (unused.length > 0) await storage.deleteBlobs(task, unused);
}

function asWrite({ category, key, data }: Write): RecordWrite {
  return data === null ? { category, key, remove: true } : { category, key, data };
}
