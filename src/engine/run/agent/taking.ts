/** The events of one session of an agent that runs elsewhere, taken into a run as they come. */
import type { VibeError } from '../../../errors.ts';
import type { RecordedEvent } from '../../api/agent-events.ts';
import type { FoundByAgent } from '../../api/attaching.ts';
import { type RunContext, throughSafePoint } from '../run-context.ts';
import type { AgentRecord } from './record.ts';

export interface Taking {
  /** Never resolves if the run ends first. Returns why a tool call is refused. */
  take(event: RecordedEvent): Promise<VibeError | null>;
  /** Ends the calls that have no result yet: their outcome stays unknown. */
  endOpen(): Promise<void>;
}

/** An open call holds the safe point: a pause, and a rest, wait for its result. `onTurn`: before a prompt is recorded. */
export function createTaking(
  active: RunContext,
  record: AgentRecord,
  onTurn: () => Promise<void> = async () => {},
): Taking {
  const { safePoint } = active;
  const holding = new Set<string>();
  const letGo = (call: string): void => {
    if (holding.delete(call)) safePoint.leave();
  };
  return {
    async take(event) {
      if (event.type === 'tool_call') {
        await safePoint.enter();
        holding.add(event.id);
        const refused = await record.take(event);
        if (refused) letGo(event.id);
        return refused;
      }
      if ((event.type === 'tool_result' || event.type === 'tool_dropped') && holding.has(event.id)) {
        await record.take(event);
        void record.looked().then(
          () => letGo(event.id),
          () => letGo(event.id),
        );
        return null;
      }
      return throughSafePoint(active, async () => {
        if (event.type === 'turn') await onTurn();
        return record.take(event);
      });
    },
    async endOpen() {
      await record.looked();
      for (const call of [...holding]) {
        await record.endUnknown(call);
        letGo(call);
      }
    },
  };
}

/** What an earlier run left open, and what others changed since. */
export async function findLeftOpen(active: RunContext, record: AgentRecord): Promise<FoundByAgent> {
  const { unfinished, changed: answered } = await record.settleUnfinished();
  const own = new Set([...answered, ...unfinished.flatMap(({ files }) => files?.changed ?? [])]);
  const before = await active.lastSnapshot();
  const now = before === undefined ? undefined : await active.snapshot();
  const changed = before && now ? await active.changedBetween(before, now) : [];
  return { unfinished, changed: changed.filter((path) => !own.has(path)) };
}
