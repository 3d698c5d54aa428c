/**
 * Sessions of agents inside a command that this process runs as a task. The run of the command is the only writer, so it
 * records them: their prompts and calls are entries of the task. What the command as a whole changed stays its own.
 */
import { oneByOne } from '../../system/in-turn.ts';
import type { RecordedEvent } from '../api/agent-events.ts';
import type { Attached, FoundByAgent, SessionsWithin } from '../api/attaching.ts';
import { recordAgent } from '../run/agent/record.ts';
import { createTaking, findLeftOpen, type Taking } from '../run/agent/taking.ts';
import type { RunContext } from '../run/run-context.ts';

export function sessionsWithin(active: RunContext): SessionsWithin {
  const sessions: Taking[] = [];
  const over = Promise.withResolvers<null>();
  let ended = false;
  /** An earlier run's: told to the first session. */
  let found: Promise<FoundByAgent> | undefined;

  const attach = (): Attached => {
    const record = recordAgent(active, () => 'external_api');
    const session = createTaking(active, record);
    sessions.push(session);
    const first = found === undefined;
    found ??= findLeftOpen(active, record);
    let told = !first;
    const inTurn = oneByOne();
    const take = async (event: RecordedEvent) => {
      if (ended) return null;
      await found;
      return Promise.race([session.take(event), over.promise]);
    };
    const endTurn = () =>
      inTurn(async () => {
        await Promise.race([session.endOpen(), over.promise]);
        await record.freeFiles();
      });
    return {
      task: active.task,
      record: (event) => inTurn(() => take(event)),
      approval: async () => ({ allowed: false, by: null }),
      found: () =>
        inTurn(async () => {
          const news = told ? NOTHING : await found!;
          told = true;
          return news;
        }),
      endTurn,
      leave: endTurn,
      close: endTurn,
    };
  };

  return {
    task: active.task,
    attach,
    async end() {
      ended = true;
      for (const session of sessions) await session.endOpen();
      over.resolve(null);
    },
  };
}

const NOTHING: FoundByAgent = { unfinished: [], changed: [] };
