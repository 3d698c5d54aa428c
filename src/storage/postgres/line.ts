/**
 * A connection that is kept while statements follow each other: taking one from the pool costs as much as a small
 * statement.
 */
import type { Pool, PoolClient } from 'pg';
import { phrase } from '../../phrase.ts';
import { type Answer, type Asking, ask } from './prepared.ts';

export interface Line {
  /** Once, with the driver's own errors; one at a time. All that it returns has to be text. */
  send(statement: LineStatement, values: readonly unknown[]): Promise<Answer>;
}

interface LineStatement {
  readonly name?: string;
  readonly text: string;
}

interface LineOptions {
  /** Where it puts how to take its connection back while it is not using it. */
  readonly idle: Set<() => void>;
  /** A wait for an answer that takes longer fails: a silent network would block it forever. */
  readonly answer_ms: number;
  /** The statement as the server gets it; throws when the pool has ended. */
  prepare(statement: LineStatement): LineStatement;
}

export function openLine(pool: Pool, { idle, answer_ms, prepare }: LineOptions): Line {
  let client: PoolClient | undefined;
  let sending = 0;
  let asking: Asking | undefined;
  let asked = 0;
  let isWatched = false;

  const giveBack = (failure?: Error): void => {
    idle.delete(giveBackIfIdle);
    client?.release(failure);
    client = undefined;
  };
  /** Its user may send again right after an answer. */
  const giveBackIfIdle = (): void => {
    if (sending === 0) giveBack();
  };
  /** One timer for all statements of a while. */
  const look = (): void => {
    isWatched = false;
    if (!asking) return;
    const left = asked + answer_ms - performance.now();
    if (left > 0) watch(left);
    else asking.giveUp(new Error(phrase`timeout: no answer in time`));
  };
  const watch = (ms: number): void => {
    isWatched = true;
    setTimeout(look, ms).unref();
  };

  return {
    send: async (statement, values) => {
      const prepared = prepare(statement);
      sending += 1;
      try {
        client ??= await pool.connect();
        asked = performance.now();
        if (!isWatched) watch(answer_ms);
        asking = ask(client, prepared, values);
        const answer = await asking.answer;
        if (pool.waitingCount > 0) giveBack();
        return answer;
      } catch (error) {
        giveBack(error as Error);
        throw error;
      } finally {
        asking = undefined;
        sending -= 1;
        if (client) {
          idle.add(giveBackIfIdle);
          setImmediate(giveBackIfIdle);
        }
      }
    },
  };
}
