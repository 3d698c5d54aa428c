/** The sender's side of exactly-once: numbered batches, one at a time, sent again until answered (see sql-lane.ts). */
import { randomUUID } from 'node:crypto';
import type { Connection, Statement } from './connection.ts';

export interface Lane {
  /** Calls a function whose first two parameters are the lane and the batch; the rest are given. */
  call(statement: Statement, values: readonly unknown[]): Promise<string>;
  /** When everything asked for so far has been answered; then the lane is forgotten. */
  close(): Promise<void>;
}

export function openLane(connection: Connection): Lane {
  const id = randomUUID();
  let batch = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function send(statement: Statement, values: readonly unknown[]): Promise<string> {
    batch += 1;
    const [row] = await connection.query<{ answer: string }>(statement, [id, batch, ...values]);
    return row!.answer;
  }

  return {
    call: (statement, values) => {
      const answer = turn.then(() => send(statement, values));
      turn = answer.catch(() => {});
      return answer;
    },
    close: async () => {
      await turn;
      if (batch > 0) await connection.once({ text: 'DELETE FROM $.lanes WHERE id = $1' }, [id]);
    },
  };
}
