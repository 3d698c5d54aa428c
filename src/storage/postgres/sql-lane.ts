/**
 * Exactly once: every open store has a lane, in which it sends numbered batches, one at a time. A batch leaves its
 * answer in the lane, in the same transaction as its writes. Sending a batch again, because the connection was lost
 * and nobody knows whether it had been written, therefore either finds the answer or does the work.
 */
export const LANE_FUNCTIONS = `
-- The answer of the batch, when it has been written before.
CREATE FUNCTION $.answer_of(p_lane uuid, p_batch bigint) RETURNS text LANGUAGE sql STABLE AS
  $body$ SELECT answer FROM $.lanes WHERE id = p_lane AND batch = p_batch $body$;

-- The last act of a batch. Two copies of one batch may run side by side, the older on a connection its sender has
-- given up: whoever comes here second finds the number taken, and undoes all it did.
CREATE FUNCTION $.keep_answer(p_lane uuid, p_batch bigint, p_answer text) RETURNS text LANGUAGE plpgsql AS $body$
BEGIN
  UPDATE $.lanes SET batch = p_batch, answer = p_answer, answered_at = now() WHERE id = p_lane AND batch < p_batch;
  IF NOT FOUND THEN
    INSERT INTO $.lanes VALUES (p_lane, p_batch, p_answer, now()) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'batch % was written before', p_batch USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  RETURN p_answer;
END $body$;
`;
