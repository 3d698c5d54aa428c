/**
 * The commit of a batch: one call, one transaction. Commits are checked and written one after the other; one that is
 * refused writes nothing and leaves the others alone. The sender orders them by task, so that two batches never wait
 * for each other.
 *
 * Prefixes: `p_` the batch, `c_` one element per commit, `e_` per entry, `r_` per record write (data null: remove).
 * The answer is a JSON array: `{"refused": …}` or `{"seq", "hash", "records": [[revision, id, existed], …]}`.
 */
export const COMMIT_FUNCTION = `
CREATE FUNCTION $.commit_batch(
  p_lane uuid, p_batch bigint,
  c_task text[], c_fence bigint[], c_seq bigint[], c_hash text[], c_cut_from bigint[], c_cut_to bigint[],
  c_entries int[], c_records int[],
  e_hash text[], e_data text[],
  r_category text[], r_key text[], r_data text[], r_expect bigint[]
) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  answer text := $.answer_of(p_lane, p_batch);
  written_at timestamptz := date_trunc('milliseconds', clock_timestamp());
  written_ms bigint := extract(epoch FROM written_at) * 1000;
  head $.heads;
  blank $.heads;
  new_head boolean;
  changed boolean;
  no text;
  entry_end int := 0;
  record_end int := 0;
  entry_start int;
  record_start int;
  record_id bigint;
  record_revision bigint;
  existed boolean;
  receipts text;
BEGIN
  IF answer IS NOT NULL THEN
    RETURN answer;
  END IF;
  blank.seq := 0; blank.hash := repeat('0', 64); blank.entries := 0; blank.records := 0; blank.fence := 0;

  -- Records outside tasks have no head to lock, and may not exist yet: their places are locked, in order.
  PERFORM pg_advisory_xact_lock($class, place) FROM (
    SELECT DISTINCT hashtext(category || '/' || key) & 255 AS place
    FROM unnest(r_category, r_key) AS r (category, key) WHERE category <> 'tasks' ORDER BY place
  ) AS places;

  FOR i IN 1 .. cardinality(c_task) LOOP
    entry_start := entry_end + 1; entry_end := entry_end + c_entries[i];
    record_start := record_end + 1; record_end := record_end + c_records[i];
    no := NULL;

    IF c_task[i] IS NOT NULL THEN
      SELECT * INTO head FROM $.heads WHERE task = c_task[i] FOR UPDATE;
      new_head := NOT FOUND;
      IF new_head THEN head := blank; END IF;
      changed := false;
      no := $.refusal(head, c_task[i], c_fence[i]);
      IF no IS NULL AND (head.seq <> c_seq[i] OR head.hash <> c_hash[i]) THEN
        no := json_build_object('code', 'STALE_WRITE', 'task', c_task[i], 'seq', head.seq, 'hash', head.hash);
      END IF;
    END IF;
    FOR j IN record_start .. record_end LOOP
      IF no IS NULL AND r_expect[j] IS NOT NULL THEN
        SELECT revision INTO record_revision FROM $.persistence WHERE category = r_category[j] AND key = r_key[j];
        IF coalesce(record_revision, 0) <> r_expect[j] THEN
          no := json_build_object('code', 'STALE_WRITE', 'category', r_category[j], 'key', r_key[j],
            'revision', coalesce(record_revision, 0));
        END IF;
      END IF;
    END LOOP;
    IF no IS NOT NULL THEN
      answer := concat(answer || ',', '{"refused":', no, '}');
      CONTINUE;
    END IF;

    IF c_entries[i] > 0 THEN
      INSERT INTO $.journal (task, seq, hash, data)
        SELECT c_task[i], c_seq[i] + n, e.hash, e.data
        FROM unnest(e_hash[entry_start:entry_end], e_data[entry_start:entry_end]) WITH ORDINALITY AS e (hash, data, n);
      head.seq := head.seq + c_entries[i]; head.hash := e_hash[entry_end];
      head.entries := head.entries + c_entries[i];
      changed := true;
    END IF;
    IF c_cut_from[i] IS NOT NULL THEN
      UPDATE $.journal SET cut_from = seq, seal = $.seal(concat_ws(E'\\n', 'cut', task, seq, seq, hash))
        WHERE task = c_task[i] AND seq BETWEEN c_cut_from[i] AND c_cut_to[i] AND cut_from IS NULL;
      GET DIAGNOSTICS record_revision = ROW_COUNT;
      head.entries := head.entries - record_revision;
      changed := true;
    END IF;

    receipts := NULL;
    FOR j IN record_start .. record_end LOOP
      record_id := NULL;
      record_revision := 0;
      IF r_data[j] IS NULL THEN
        DELETE FROM $.persistence WHERE category = r_category[j] AND key = r_key[j] RETURNING id INTO record_id;
        existed := FOUND;
        IF existed THEN head.records := head.records - 1; changed := true; END IF;
      ELSE
        record_revision := nextval('$.numbers');
        UPDATE $.persistence SET data = r_data[j], revision = record_revision, updated_at = written_at,
            checksum = $.seal(concat_ws(E'\\n', category, key, record_revision, written_ms, r_data[j]))
          WHERE category = r_category[j] AND key = r_key[j] RETURNING id INTO record_id;
        existed := FOUND;
        IF NOT existed THEN
          INSERT INTO $.persistence (category, key, data, revision, updated_at, checksum)
            VALUES (r_category[j], r_key[j], r_data[j], record_revision, written_at,
              $.seal(concat_ws(E'\\n', r_category[j], r_key[j], record_revision, written_ms, r_data[j])))
            RETURNING id INTO record_id;
          head.records := head.records + 1;
          changed := true;
        END IF;
      END IF;
      receipts := concat(receipts || ',', '[', record_revision, ',"', record_id, '",', existed::text, ']');
    END LOOP;

    IF c_task[i] IS NULL THEN
      answer := concat(answer || ',', '{"records":[', receipts, ']}');
      CONTINUE;
    END IF;
    IF changed AND new_head THEN
      INSERT INTO $.heads (task, seq, hash, entries, records, listed)
        VALUES (c_task[i], head.seq, head.hash, head.entries, head.records, head.entries > 0 OR head.records > 0)
        ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'task % has just been begun by another', c_task[i] USING ERRCODE = 'serialization_failure';
      END IF;
    ELSIF changed THEN
      UPDATE $.heads SET seq = head.seq, hash = head.hash, entries = head.entries, records = head.records,
          listed = head.entries > 0 OR head.records > 0
        WHERE task = c_task[i];
    END IF;
    answer := concat(answer || ',', '{"seq":', head.seq, ',"hash":"', head.hash, '","records":[', receipts, ']}');
  END LOOP;
  RETURN $.keep_answer(p_lane, p_batch, '[' || answer || ']');
END $body$;
`;
