/** Operations on a whole task: removing, compacting, repairing. Each returns JSON. */
import type { OwnerWords } from './commit.ts';

export const maintenanceFunctions = (owner: OwnerWords): string => `
CREATE FUNCTION $.remove_task(p_task text, p_fence bigint${owner.parameter})
RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  refused text;
  head $.heads;
  removed bigint;
  more bigint;
BEGIN
  SELECT * INTO head FROM $.heads WHERE task = p_task FOR UPDATE;
  refused := $.refusal(head, p_task, p_fence${owner.argument});
  IF refused IS NOT NULL THEN
    RETURN '{"refused":' || refused || '}';
  END IF;
  DELETE FROM $.journal WHERE task = p_task;
  GET DIAGNOSTICS removed = ROW_COUNT;
  DELETE FROM $.blobs WHERE task = p_task;
  GET DIAGNOSTICS more = ROW_COUNT;
  removed := removed + more;
  DELETE FROM $.persistence WHERE category = 'tasks' AND key > p_task || '/' AND key < p_task || '0';
  GET DIAGNOSTICS more = ROW_COUNT;
  removed := removed + more;
  IF p_fence IS NULL THEN
    DELETE FROM $.heads WHERE task = p_task;
  ELSE
    -- Its owner still owns it, until it releases it.
    UPDATE $.heads SET seq = 0, hash = repeat('0', 64), listed = false WHERE task = p_task;
  END IF;
  RETURN json_build_object('removed', removed);
END $body$;

CREATE FUNCTION $.compact_task(p_task text, p_fence bigint${owner.parameter})
RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  refused text;
  head $.heads;
  freed bigint;
BEGIN
  SELECT * INTO head FROM $.heads WHERE task = p_task FOR UPDATE;
  refused := $.refusal(head, p_task, p_fence${owner.argument});
  IF refused IS NOT NULL THEN
    RETURN '{"refused":' || refused || '}';
  END IF;
  SELECT coalesce(sum(octet_length(data)), 0) INTO freed
    FROM $.journal WHERE task = p_task AND cut_from IS NOT NULL;
  -- Of every run of cut entries the last stays, without data, to stand for all of them.
  WITH cut AS (
    SELECT seq, cut_from, lag(seq) OVER (ORDER BY seq) AS before
    FROM $.journal WHERE task = p_task AND cut_from IS NOT NULL
  ), run AS (
    SELECT seq, cut_from, sum(CASE WHEN before = cut_from - 1 THEN 0 ELSE 1 END) OVER (ORDER BY seq) AS number
    FROM cut
  ), kept AS (
    SELECT max(seq) AS seq, min(cut_from) AS cut_from FROM run GROUP BY number
  ), gone AS (
    DELETE FROM $.journal j USING run
    WHERE j.task = p_task AND j.seq = run.seq AND j.seq NOT IN (SELECT seq FROM kept)
  )
  UPDATE $.journal j SET data = NULL, cut_from = kept.cut_from,
      seal = $.seal(concat_ws(E'\\n', 'cut', j.task, kept.cut_from, j.seq, j.hash))
    FROM kept WHERE j.task = p_task AND j.seq = kept.seq AND (j.data IS NOT NULL OR j.cut_from <> kept.cut_from);
  RETURN json_build_object('freed', freed);
END $body$;

CREATE FUNCTION $.delete_blobs(p_task text, p_ids text[], p_before timestamptz)
RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  removed bigint;
BEGIN
  DELETE FROM $.blobs WHERE task = p_task AND id = ANY (p_ids)
    AND (p_before IS NULL OR created_at < p_before);
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN json_build_object('removed', removed);
END $body$;

-- Ends the journal at a position that its caller has verified; what comes after it goes aside.
CREATE FUNCTION $.repair_task(p_task text, p_fence bigint${owner.parameter}, p_seq bigint, p_hash text)
RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  refused text;
  head $.heads;
  first_id bigint;
  last_id bigint;
BEGIN
  INSERT INTO $.heads (task) VALUES (p_task) ON CONFLICT DO NOTHING;
  SELECT * INTO head FROM $.heads WHERE task = p_task FOR UPDATE;
  refused := $.refusal(head, p_task, p_fence${owner.argument});
  IF refused IS NOT NULL THEN
    RETURN '{"refused":' || refused || '}';
  END IF;
  WITH moved AS (
    DELETE FROM $.journal WHERE task = p_task AND seq > p_seq RETURNING *
  ), aside AS (
    INSERT INTO $.damaged (task, seq, hash, data, cut_from, seal, set_aside_at)
    SELECT task, seq, hash, data, cut_from, seal, clock_timestamp() FROM moved ORDER BY seq RETURNING id
  )
  SELECT min(id), max(id) INTO first_id, last_id FROM aside;
  UPDATE $.heads SET seq = p_seq, hash = p_hash, listed = $.has_content(p_task) WHERE task = p_task;
  RETURN json_build_object('first_id', first_id, 'last_id', last_id);
END $body$;
`;
