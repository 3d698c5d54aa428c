/** The history of any execution: also of one that was tracked or has manual checkpoints, with the steps they record. */

import type { Storage } from '../../storage/contract.ts';
import { checkpointId } from '../../task/keys.ts';
import { liveCheckpoints } from '../history/checkpoints.ts';
import { createHistoryReader, finishHistory, readHistory, type TaskHistory } from '../history/history.ts';
import { collectMarks } from '../history/marks.ts';
import { checkpointRecords, hasManualCheckpoints, missingSteps } from '../recovery/manual-checkpoints.ts';
import { foldJournal, type LiveEntry } from '../task/journal.ts';
import { emptyMemory, remember } from '../task/memory.ts';
import { loadHead } from '../task/records/head.ts';

/** Null when there is none of this id. */
export async function readTrackedHistory(storage: Storage, id: string): Promise<TaskHistory | null> {
  const head = await loadHead(storage, id);
  if (head && !hasManualCheckpoints(head)) return readHistory(storage, head);
  const checkpoints = await checkpointRecords(storage, id);
  if (!head && checkpoints.length === 0) return null;
  const reader = createHistoryReader();
  const memory = emptyMemory();
  const marks = collectMarks({ task_id: id }, memory);
  const note = ({ entry }: LiveEntry): void => {
    reader.add(entry);
    remember(memory, entry);
  };
  if (head) await foldJournal(storage, head, [note, marks.take]);
  for (const entry of missingSteps(memory, checkpoints)) reader.add(entry);
  if (head) return finishHistory(storage, head, { reader, marks });
  const ids = (await liveCheckpoints(storage, id)).map(({ sequence }) => checkpointId(id, sequence));
  return { ...reader.finish({ task_id: id, task_name: id }, ids), versions: null };
}
