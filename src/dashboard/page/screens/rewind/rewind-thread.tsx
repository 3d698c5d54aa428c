/** The thread of a task that is rewound: from where to where, and what goes as a loop. Another ring is another rewind. */
import { useLoaded } from '../../kit/loaded.tsx';
import { Waits } from '../../kit/notes.tsx';
import { call } from '../../net/api.ts';
import type { CheckpointRow } from '../../shapes/files.ts';
import type { Timeline } from '../../shapes/types.ts';
import { displayStatus } from '../../state/display-status.ts';
import { journalEnd } from '../../state/live.ts';
import { shown } from '../../state/task.ts';
import { taskRow } from '../../state/tasks.ts';
import { Thread } from '../../thread/thread.tsx';
import type { Part } from './request.ts';

/** As on the page of the task. */
const [ROWS, BINS] = [200, 160];

/** Its thread, and all of its checkpoints: the thread has one of many. */
export function usePast(task: string) {
  const position = journalEnd.value?.task === task ? journalEnd.value.position : 0;
  return useLoaded(
    async (abort) => {
      const [timeline, { checkpoints }] = await Promise.all([
        call<Timeline>('timeline', { task }, { from: 0, limit: ROWS, bins: BINS }, abort),
        call<{ checkpoints: readonly CheckpointRow[] }>('checkpoints list', { task }, {}, abort),
      ]);
      return { timeline, checkpoints };
    },
    [task, position],
  );
}

interface RewindThreadProps {
  readonly past: ReturnType<typeof usePast>;
  readonly task: string;
  readonly checkpoint: string;
  readonly part: Part;
  onChoose(checkpoint: string | null): void;
}

export function RewindThread({ past, task, checkpoint, part, onChoose }: RewindThreadProps) {
  const row = taskRow(task);
  // Nothing depends on it: where it cannot be had, the files are there all the same.
  if (past.error !== null) return null;
  if (past.value === null || !row) return <Waits lines={2} />;
  const { timeline, checkpoints } = past.value;
  const chosen = checkpoints.find(({ id }) => id === checkpoint);
  return (
    <Thread
      timeline={timeline}
      display={displayStatus(row)}
      shown={shown.value?.task.id === task ? shown.value : null}
      chosen={chosen ? { at: Date.parse(chosen.created_at), seq: chosen.seq } : null}
      goes={part !== 'files'}
      onPick={({ id }) => onChoose(id)}
    />
  );
}
