/** The sender's side of exactly-once: numbered batches, one at a time, sent again until answered (see sql/lane.ts). */
import { randomUUID } from 'node:crypto';
import type { Connection, Statement } from './connection.ts';
import { batchOf, FIND_ANSWER } from './sql/lane.ts';

export interface Lane {
  /** The answer of the batch, which is written exactly once. */
  send(batch: Batch): Promise<string>;
  /** Resolves when everything sent so far has been answered, and the lane is deleted. */
  close(): Promise<void>;
}

export interface Batch {
  readonly call: LaneCall;
  values(): unknown[];
}

/** Made once, with `laneCall`. Its parameters begin at `$3`: the first two are the lane and the number of the batch. */
type LaneCall = Statement;

/** `steps`: common table expressions, the last of which is `done (answer)`. */
export function laneCall(steps: string, name?: string): LaneCall {
  return { text: batchOf(steps), ...(name === undefined ? {} : { name }) };
}

export function openLane(connection: Connection): Lane {
  const id = randomUUID();
  const line = connection.line();
  let number = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function attempt(statement: Statement, values: readonly unknown[]): Promise<string | undefined> {
    const { rows } = await line.send(statement, [id, number, ...values]);
    return rows[0]?.[0] ?? undefined;
  }

  async function sendNumbered({ call, values }: Batch): Promise<string> {
    number += 1;
    return connection.patiently(async (isFirst) => {
      const found = isFirst ? undefined : await attempt(FIND_ANSWER, []);
      return found ?? (await attempt(call, values()))!;
    }, 'unknown');
  }

  return {
    send: (batch) => {
      const answer = turn.then(() => sendNumbered(batch));
      // Its caller has the error.
      turn = answer.catch(() => {});
      return answer;
    },
    close: async () => {
      await turn;
      if (number > 0) await connection.once({ text: 'DELETE FROM $.lanes WHERE id = $1' }, [id]);
    },
  };
}
