/**
 * Writing commits. A refused commit leaves nothing behind. Every statement and expression is paid for with every commit, so
 * there are few: the head is moved first, which also locks it, and moved back in the rare case that a record is not as
 * expected.
 */

/**
 * Without a fence one may write while the task has no owner, with a fence only as its owner. A fence number can be used
 * twice, if a server is restored from a backup while workers still run; an owner cannot.
 */
export const mayWrite = (fence: string, owner: string, head = '') => `
  CASE WHEN ${fence} IS NULL THEN coalesce(${head}lease_until <= clock_timestamp(), true)
    ELSE ${head}fence = ${fence}${owner && ` AND ${head}owner = ${owner}`} AND ${head}lease_until > clock_timestamp() END`;

/** How the functions are given the claim's owner; those of version 1 are not. */
export interface OwnerWords {
  readonly parameter: string;
  readonly argument: string;
  readonly column: string;
  readonly element: string;
  /** What a fence must match as well. */
  readonly name: string;
  readonly same: string;
}

export const WITHOUT_OWNER: OwnerWords = {
  parameter: '',
  argument: '',
  column: '',
  element: '',
  name: '',
  same: '',
};
export const WITH_OWNER: OwnerWords = {
  parameter: ', p_owner uuid',
  argument: ', p_owner',
  column: ', c_owner text[]',
  element: ', c_owner[i]::uuid',
  name: 'p_owner',
  same: ' AND p_owner = head.owner',
};

export const commitFunctions = (owner: OwnerWords): string => `
-- p_end is the hash after the entries; r_data null removes the record; p_places see lock_places; p_lists and p_empties
-- whether something is added or taken away.
-- Answers JSON: {"refused": …} or {"seq", "hash", "records": [[revision, id, existed], …]}.
CREATE FUNCTION $.commit_one(
  p_places int[], p_task text, p_fence bigint${owner.parameter}, p_seq bigint, p_hash text, p_cut_from bigint, p_cut_to bigint,
  p_entries int, p_end text, e_hash text[], e_data text[],
  p_lists boolean, p_empties boolean,
  p_records int, r_category text[], r_key text[], r_data text[], r_checksum text[], r_expect bigint[]
) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  end_seq bigint;
  end_hash text;
  refused text;
  new_revision bigint;
  row_id bigint;
  existed boolean;
  receipts text;
BEGIN
  IF p_task IS NULL THEN
    PERFORM $.lock_places(p_places);
  ELSE
    LOOP
      UPDATE $.heads SET seq = seq + p_entries, hash = coalesce(p_end, hash), listed = listed OR p_lists
        WHERE task = p_task AND (p_seq IS NULL OR seq = p_seq AND hash = p_hash)
          AND ${mayWrite('p_fence', owner.name)}
        RETURNING seq, hash INTO end_seq, end_hash;
      EXIT WHEN FOUND;
      refused := $.begin_task(p_task, p_fence${owner.argument}, p_seq, p_hash);
      IF refused IS NOT NULL THEN
        RETURN '{"refused":' || refused || '}';
      END IF;
    END LOOP;
  END IF;

  IF r_expect IS NOT NULL THEN
    refused := $.unexpected(r_category, r_key, r_expect);
    IF refused IS NOT NULL THEN
      UPDATE $.heads SET seq = end_seq - p_entries, hash = coalesce(p_hash, hash), listed = $.has_content(p_task)
        WHERE task = p_task;
      RETURN '{"refused":' || refused || '}';
    END IF;
  END IF;

  IF p_entries = 1 THEN
    INSERT INTO $.journal (task, seq, hash, data) VALUES (p_task, end_seq, p_end, e_data[1]);
  ELSIF p_entries > 1 THEN
    INSERT INTO $.journal (task, seq, hash, data)
      SELECT p_task, p_seq + n, e.hash, e.data FROM unnest(e_hash, e_data) WITH ORDINALITY AS e (hash, data, n);
  ELSIF p_cut_from IS NOT NULL THEN
    UPDATE $.journal SET cut_from = seq, seal = $.seal(concat_ws(E'\\n', 'cut', task, seq, seq, hash))
      WHERE task = p_task AND seq BETWEEN p_cut_from AND p_cut_to AND cut_from IS NULL;
  END IF;

  FOR j IN 1 .. p_records LOOP
    IF r_data[j] IS NULL THEN
      DELETE FROM $.persistence WHERE category = r_category[j] AND key = r_key[j] RETURNING id INTO row_id;
      existed := FOUND;
      new_revision := 0;
    ELSE
      new_revision := nextval('$.numbers');
      UPDATE $.persistence SET data = r_data[j], checksum = r_checksum[j], revision = new_revision, updated_at = now()
        WHERE category = r_category[j] AND key = r_key[j] RETURNING id INTO row_id;
      existed := FOUND;
      IF NOT existed THEN
        INSERT INTO $.persistence (category, key, data, revision, updated_at, checksum)
          VALUES (r_category[j], r_key[j], r_data[j], new_revision, now(), r_checksum[j])
          RETURNING id INTO row_id;
      END IF;
    END IF;
    receipts := concat(receipts || ',', '[', new_revision, ',"', row_id, '",', existed::text, ']');
  END LOOP;

  IF p_task IS NOT NULL AND p_empties THEN
    UPDATE $.heads SET listed = $.has_content(p_task) WHERE task = p_task;
  END IF;
  RETURN concat('{"seq":', coalesce(end_seq, 0), ',"hash":"', end_hash, '","records":[', receipts, ']}');
END $body$;

-- Several commits in one transaction, each element of c_ for one of them; e_ and r_ hold theirs one after the other.
-- The sender orders them by task, so that two batches never wait for each other. Answers a JSON array.
CREATE FUNCTION $.commit_batch(
  p_places int[], c_task text[], c_fence bigint[]${owner.column}, c_seq bigint[], c_hash text[], c_cut_from bigint[],
  c_cut_to bigint[], c_entries int[], c_end text[], e_hash text[], e_data text[],
  c_lists boolean[], c_empties boolean[],
  c_records int[], r_category text[], r_key text[], r_data text[], r_checksum text[], r_expect bigint[]
) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  answers text;
  e int := 0;
  r int := 0;
  e_next int;
  r_next int;
BEGIN
  PERFORM $.lock_places(p_places);
  FOR i IN 1 .. cardinality(c_task) LOOP
    e_next := e + c_entries[i];
    r_next := r + c_records[i];
    answers := concat(answers || ',', $.commit_one(
      NULL, c_task[i], c_fence[i]${owner.element}, c_seq[i], c_hash[i], c_cut_from[i], c_cut_to[i],
      c_entries[i], c_end[i], e_hash[e + 1:e_next], e_data[e + 1:e_next],
      c_lists[i], c_empties[i],
      c_records[i], r_category[r + 1:r_next], r_key[r + 1:r_next], r_data[r + 1:r_next], r_checksum[r + 1:r_next],
      r_expect[r + 1:r_next]));
    e := e_next;
    r := r_next;
  END LOOP;
  RETURN '[' || answers || ']';
END $body$;

-- Records outside tasks have no head to lock, and may not exist yet: their places are locked, in ascending order.
CREATE FUNCTION $.lock_places(p_places int[]) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  place int;
BEGIN
  FOREACH place IN ARRAY coalesce(p_places, '{}') LOOP
    PERFORM pg_advisory_xact_lock($class, place);
  END LOOP;
END $body$;

-- After a head could not be moved: begins the task when there is none, or says in JSON why it may not be written;
-- null to try again.
CREATE FUNCTION $.begin_task(p_task text, p_fence bigint${owner.parameter}, p_seq bigint, p_hash text)
RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  head $.heads;
  refused text;
BEGIN
  SELECT * INTO head FROM $.heads WHERE task = p_task FOR UPDATE;
  IF NOT FOUND THEN
    head.seq := 0;
    head.hash := repeat('0', 64);
  END IF;
  refused := $.refusal(head, p_task, p_fence${owner.argument});
  IF refused IS NULL AND (head.seq <> p_seq OR head.hash <> p_hash) THEN
    refused := json_build_object('code', 'STALE_JOURNAL', 'task', p_task,
      'expected', json_build_object('seq', p_seq, 'hash', p_hash),
      'actual', json_build_object('seq', head.seq, 'hash', head.hash));
  END IF;
  IF refused IS NULL AND head.task IS NULL THEN
    INSERT INTO $.heads (task) VALUES (p_task) ON CONFLICT DO NOTHING;
  END IF;
  RETURN refused;
END $body$;

-- The first record that has not the revision its writer expects (null: any, 0: none), as JSON.
CREATE FUNCTION $.unexpected(r_category text[], r_key text[], r_expect bigint[])
RETURNS text LANGUAGE sql VOLATILE AS $body$
  SELECT json_build_object('code', 'STALE_RECORD', 'category', r.category, 'key', r.key,
    'expected', r.expect, 'actual', coalesce(p.revision, 0))
  FROM unnest(r_category, r_key, r_expect) WITH ORDINALITY AS r (category, key, expect, n)
  LEFT JOIN $.persistence p ON p.category = r.category AND p.key = r.key
  WHERE r.expect IS NOT NULL AND coalesce(p.revision, 0) <> r.expect
  ORDER BY n LIMIT 1
$body$;

-- Why a writer with this fence (null: with none) may not write the task, as JSON; null when it may.
CREATE FUNCTION $.refusal(head $.heads, p_task text, p_fence bigint${owner.parameter}) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  live boolean := coalesce(head.lease_until > clock_timestamp(), false);
BEGIN
  IF p_fence IS NULL AND NOT live OR p_fence = head.fence${owner.same} AND live THEN
    RETURN NULL;
  END IF;
  IF p_fence IS NULL THEN
    RETURN json_build_object('code', 'TASK_OWNED', 'task', p_task, 'holder', head.holder,
      'since', head.claimed_at, 'fence', head.fence);
  END IF;
  RETURN json_build_object('code', 'FENCED_OUT', 'task', p_task, 'fence', p_fence,
    'current', CASE WHEN live THEN head.fence END);
END $body$;
`;
