/** The sender's side of exactly-once: numbered batches, one at a time, sent again until answered (see sql-lane.ts). */
import { randomUUID } from 'node:crypto';
import type { Connection, Statement } from './connection.ts';

export interface Lane {
  /** Evaluates a call in the database; the answer is that of the one time it was carried out. */
  call(call: LaneCall, values: readonly unknown[]): Promise<string>;
  /** When everything asked for so far has been answered; then the lane is forgotten. */
  close(): Promise<void>;
}

export interface LaneCall {
  /** For what is called often. */
  readonly name?: string;
  /** SQL that yields text. Its parameters begin at `$3`: the first two are the lane and the batch. */
  readonly expression: string;
}

export function openLane(connection: Connection): Lane {
  const id = randomUUID();
  const statements = new Map<LaneCall['expression'], Statement>();
  let batch = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function send(call: LaneCall, values: readonly unknown[]): Promise<string> {
    const statement = statements.get(call.expression) ?? statementOf(call);
    statements.set(call.expression, statement);
    batch += 1;
    const [row] = await connection.query<{ answer: string }>(statement, [id, batch, ...values]);
    return row!.answer;
  }

  return {
    call: (call, values) => {
      const answer = turn.then(() => send(call, values));
      turn = answer.catch(() => {});
      return answer;
    },
    close: async () => {
      await turn;
      if (batch > 0) await connection.once({ text: 'DELETE FROM $.lanes WHERE id = $1' }, [id]);
    },
  };
}

/** The first time nobody can have answered the batch yet, so only later attempts look for its answer. */
function statementOf({ name, expression }: LaneCall): Statement {
  const keep = `$.keep_answer($1, $2, ${expression})`;
  return {
    ...(name === undefined ? {} : { name }),
    text: `SELECT ${keep} AS answer`,
    again: { text: `SELECT coalesce($.answer_of($1, $2), ${keep}) AS answer` },
  };
}
