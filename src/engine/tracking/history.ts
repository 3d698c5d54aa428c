/** The history of any execution: also of one that was tracked or has manual checkpoints, with the steps they record. */
import { checkpointId } from '../../checkpoint/record/record.ts';
import type { Storage } from '../../storage/contract.ts';
import { checkpointRecords, hasManualCheckpoints, missingSteps } from '../recovery/manual-checkpoints.ts';
import { createHistoryReader, finishHistory, readHistory, type TaskHistory } from '../task/history.ts';
import { liveEntries } from '../task/journal.ts';
import { emptyMemory, remember } from '../task/memory.ts';
import { liveCheckpoints } from '../task/records/checkpoints.ts';
import { loadHead } from '../task/records/head.ts';

/** Null when there is none of this id. */
export async function readTrackedHistory(storage: Storage, id: string): Promise<TaskHistory | null> {
  const head = await loadHead(storage, id);
  if (head && !hasManualCheckpoints(head)) return readHistory(storage, head);
  const checkpoints = await checkpointRecords(storage, id);
  if (!head && checkpoints.length === 0) return null;
  const reader = createHistoryReader();
  const memory = emptyMemory();
  if (head) {
    for await (const { entry } of liveEntries(storage, head)) {
      reader.add(entry);
      remember(memory, entry);
    }
  }
  for (const entry of missingSteps(memory, checkpoints)) reader.add(entry);
  if (head) return finishHistory(storage, head, reader);
  const ids = (await liveCheckpoints(storage, id)).map(({ sequence }) => checkpointId(id, sequence));
  return { ...reader.finish({ task_id: id, task_name: id }, ids), versions: null };
}
