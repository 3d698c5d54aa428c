/** The tables and functions, as versioned migrations. `$` stands for the schema's name, `$class` for its lock class. */

import { commitFunctions, WITH_OWNER, WITHOUT_OWNER } from './sql/commit.ts';
import { maintenanceFunctions } from './sql/maintenance.ts';

/** Every table, to tell a store from a schema that another program uses. */
export const TABLES = [
  'meta',
  'persistence',
  'heads',
  'journal',
  'blobs',
  'lanes',
  'damaged',
  'sessions',
] as const;

const START_HASH = '0'.repeat(64);

const TABLES_V1 = `
-- What this schema is: the rows "format" and "version".
CREATE TABLE $.meta (key text PRIMARY KEY, value text NOT NULL);

-- Revisions and fences: larger with every one given out, whatever was removed since.
CREATE SEQUENCE $.numbers;

-- Records: one row per (category, key). The checksum covers category, key and data; its writer computes it.
CREATE TABLE $.persistence (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  category text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  data text NOT NULL,
  revision bigint NOT NULL,
  updated_at timestamptz NOT NULL,
  checksum text NOT NULL,
  UNIQUE (category, key)
) WITH (fillfactor = 80);

-- One row per task: where its journal ends, whether it has an entry or a record, who may write it until when.
CREATE TABLE $.heads (
  task text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL DEFAULT 0,
  hash text NOT NULL DEFAULT '${START_HASH}',
  listed boolean NOT NULL DEFAULT false,
  fence bigint NOT NULL DEFAULT 0,
  owner uuid,
  holder text,
  claimed_at timestamptz,
  lease_until timestamptz
) WITH (fillfactor = 70);
CREATE INDEX heads_listed ON $.heads (task) WHERE listed;
CREATE INDEX heads_unlisted ON $.heads (task) WHERE NOT listed;

-- Journal entries. A cut one has cut_from: it stands for the entries cut_from to seq, none of which count any more,
-- and keeps the chain's hash at its end; the seal covers that. Its data goes when the task is compacted.
CREATE TABLE $.journal (
  task text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  hash text NOT NULL,
  data text,
  cut_from bigint,
  seal text,
  PRIMARY KEY (task, seq)
);

-- task is '' for blobs of the whole store; id is {kind}/{sha256}.
CREATE TABLE $.blobs (
  task text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  bytes bytea NOT NULL,
  PRIMARY KEY (task, id)
);
ALTER TABLE $.blobs ALTER bytes SET STORAGE EXTERNAL;

-- The last batch that an open store sent, and its answer: see sql/lane.ts.
CREATE TABLE $.lanes (
  id uuid PRIMARY KEY,
  batch bigint NOT NULL,
  answer text NOT NULL,
  answered_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- What repair took out of a journal.
CREATE TABLE $.damaged (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task text NOT NULL,
  seq bigint NOT NULL,
  hash text NOT NULL,
  data text,
  cut_from bigint,
  seal text,
  set_aside_at timestamptz NOT NULL
);

CREATE FUNCTION $.has_content(p_task text) RETURNS boolean LANGUAGE sql VOLATILE AS $body$
  SELECT EXISTS (SELECT FROM $.journal WHERE task = p_task AND cut_from IS NULL) OR EXISTS (
    -- "0" follows "/", so this is every key that begins with the task and a slash.
    SELECT FROM $.persistence WHERE category = 'tasks' AND key > p_task || '/' AND key < p_task || '0') $body$;

CREATE FUNCTION $.seal(content text) RETURNS text LANGUAGE sql STABLE AS
  $body$ SELECT encode(sha256(convert_to(content, 'UTF8')), 'hex') $body$;
`;

/** Renewing leases finds the claims by their owners, however many tasks there are; a commit changes nothing in it. */
const OWNERS_V2 = 'CREATE INDEX heads_owner ON $.heads (owner) WHERE owner IS NOT NULL;';

/**
 * Entries of a few kilobytes stay in their rows: reading one from elsewhere takes as long as reading several. Rows of before
 * stay where they are.
 */
const SESSIONS_V3 = `
-- Which lock shows that the owner of a claim lives: see session.ts. A crash of the server empties it.
CREATE UNLOGGED TABLE $.sessions (
  owner uuid PRIMARY KEY,
  lock bigint NOT NULL,
  server_start timestamptz NOT NULL DEFAULT pg_postmaster_start_time()
);

-- The lock of the owner's session, if that has ended.
CREATE FUNCTION $.ended_session(p_owner uuid) RETURNS bigint LANGUAGE sql VOLATILE AS $body$
  SELECT lock FROM $.sessions
  WHERE owner = p_owner AND server_start = pg_postmaster_start_time() AND pg_try_advisory_xact_lock_shared(lock) $body$;

ALTER TABLE $.journal SET (toast_tuple_target = 8160);
`;

/** An entry may keep the receipt of the record that was written with it: see appends.ts. */
const RECEIPTS_V4 = 'ALTER TABLE $.journal ADD COLUMN receipt text;';

/** Migration n brings a schema of version n to version n + 1. What was released is never edited, only added to. */
const MIGRATIONS: readonly string[] = [
  TABLES_V1 + commitFunctions(WITHOUT_OWNER) + maintenanceFunctions(WITHOUT_OWNER),
  // In addition to those of version 1: a worker that runs during the upgrade continues to use them.
  OWNERS_V2 +
    (commitFunctions(WITH_OWNER) + maintenanceFunctions(WITH_OWNER)).replaceAll(
      'CREATE FUNCTION',
      'CREATE OR REPLACE FUNCTION',
    ),
  SESSIONS_V3,
  RECEIPTS_V4,
];

export const VERSION: number = MIGRATIONS.length;

/** The SQL that brings a schema from this version to the newest, or to another. */
export function migrationsFrom(version: number, schema: string, to: number = VERSION): string {
  const mark = `
    INSERT INTO $.meta VALUES ('format', 'vibe-engine'), ('version', '${to}')
    ON CONFLICT (key) DO UPDATE SET value = excluded.value;`;
  return inSchema([...MIGRATIONS.slice(version, to), mark].join('\n'), schema);
}

/** Names the schema in a statement that was written with `$`. */
export function inSchema(sql: string, schema: string): string {
  return sql.replaceAll('$class', `hashtext('vibe-engine:${schema}')`).replaceAll('$.', `"${schema}".`);
}
