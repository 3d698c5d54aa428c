/**
 * Exactly once: every open store has a lane, in which it sends numbered batches, one at a time. A batch leaves its answer in
 * the lane, in the same transaction as its writes. When the connection is lost before the answer arrives, the lane tells
 * whether the batch was written; if there is no answer in it, the batch is sent again.
 */

/** Whether the batch has been written, and with which answer. */
export const FIND_ANSWER = {
  text: 'SELECT answer FROM $.lanes WHERE id = $1 AND batch = $2',
};

/** A batch: `steps` are common table expressions that do the work, the last of which is `done (answer)`. */
export function batchOf(steps: string): string {
  return `WITH ${steps} ${KEEP_ANSWER}`;
}

/**
 * Two copies of one batch may run side by side, the older on a connection its sender has given up: the second one finds the
 * number taken, violates NOT NULL, and is rolled back.
 */
const KEEP_ANSWER = `
  INSERT INTO $.lanes (id, batch, answer, answered_at) SELECT $1, $2, answer, now() FROM done
  ON CONFLICT (id) DO UPDATE SET batch = CASE WHEN lanes.batch < excluded.batch THEN excluded.batch END,
    answer = excluded.answer, answered_at = excluded.answered_at
  RETURNING answer`;

export function isWrittenBefore(error: unknown): boolean {
  const { code, table, column } = (error ?? {}) as { code?: unknown; table?: unknown; column?: unknown };
  return code === '23502' && table === 'lanes' && column === 'batch';
}
