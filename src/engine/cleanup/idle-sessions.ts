/** Sessions of agents that nobody has continued for long count as ended, and are then kept as long as other ended tasks. */
import { loadState, stateRecord } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { InProgressData } from '../../task/data.ts';
import { claimTask } from '../task/records/claim.ts';
import { moveAlong, pausedData, wayTo } from '../task/transitions.ts';
import { type Surveyed, surveyTask } from './survey.ts';
import { type Sweep, unlessTaken } from './sweep.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What was surveyed, with those as they are afterwards. */
export async function endIdleSessions(sweep: Sweep, all: readonly Surveyed[]): Promise<Surveyed[]> {
  const now: Surveyed[] = [];
  for (const of of all) now.push((isOver(of, sweep) && (await ended(sweep, of))) || of);
  return now;
}

function isOver(
  { idle_since: rests_since }: Surveyed,
  { settings: { idle_days }, now, dry }: Sweep,
): boolean {
  if (dry || idle_days === null || rests_since === null) return false;
  return now.getTime() - Date.parse(rests_since) >= idle_days * DAY;
}

async function ended(sweep: Sweep, { task, idle_since: rests_since }: Surveyed): Promise<Surveyed | null> {
  const { storage, at: now } = sweep;
  if ((await storage.owner(task)) !== null) return null;
  await unlessTaken(sweep, task, async () => {
    const claim = await claimTask(storage, task);
    try {
      const state = await loadState(storage, task);
      if (!state || (state.status !== 'in_progress' && state.status !== 'paused')) return;
      const at = now.toISOString();
      const reason = phrase`nobody continued the session since ${rests_since!.slice(0, 10)}`;
      const moved = moveAlong(state, wayTo(state.status, 'cancelled'), {
        data: (to) =>
          to === 'paused' // On the way: what is in progress cannot be cancelled at once.
            ? pausedData(state.data as InProgressData, reason, at, { instructions: null })
            : { cancelled_at: at, cancel_reason: reason },
        reason: () => reason,
        now,
      });
      const append = { after: await storage.position(task), entries: moved.entries };
      await storage.commit({ task, fence: claim.fence, records: [stateRecord(moved.state)], append });
    } finally {
      await claim.release();
    }
  });
  const one = await surveyTask(storage, task);
  return one && 'lifecycle' in one ? one : null;
}
