/** The tables, as versioned migrations, and the marks by which a store recognises its own file. */

/** "VIBE", in the header of every store file. */
export const APPLICATION_ID = 0x56494245;

/** Migration n brings a file of version n to version n + 1. What was released is never edited, only added to. */
export const MIGRATIONS: readonly string[] = [
  `
  -- Records: one row per (category, key).
  CREATE TABLE persistence (
    id INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    key TEXT NOT NULL,
    data TEXT NOT NULL,
    revision INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    task TEXT GENERATED ALWAYS AS (iif(category = 'tasks', substr(key, 1, instr(key, '/') - 1), NULL)) VIRTUAL,
    UNIQUE (category, key)
  ) STRICT;

  -- One row per task. seq and hash: where its journal ends, but for entries that are not indexed yet. fence: the last
  -- one given out. revision: the largest of any record that was removed; new records begin above it.
  -- The row of task '' stands for the records outside tasks, and gives new tasks their first numbers.
  CREATE TABLE heads (
    id INTEGER PRIMARY KEY,
    task TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    fence INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;

  -- Journal entries of all tasks in the order of writing, so that a commit touches only the last page.
  CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    head INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    data TEXT NOT NULL
  ) STRICT;

  -- Where each entry is: an index of the journal up to row \`indexed.row\`, brought up to date many rows at a time.
  CREATE TABLE places (
    head INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (head, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE indexed (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    row INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;

  -- Ranges of entries that no longer count; hash is the chain's hash at the last of them. Ranges never touch.
  CREATE TABLE cuts (
    head INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    hash TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (head, first)
  ) STRICT;

  -- task is '' for blobs of the whole store; name is {kind}/{sha256}.
  CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    task TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (task, name)
  ) STRICT;

  -- What repair took out of a journal.
  CREATE TABLE damaged (
    id INTEGER PRIMARY KEY,
    task TEXT NOT NULL,
    set_aside_at TEXT NOT NULL,
    seq INTEGER,
    hash TEXT,
    data ANY
  ) STRICT;

  -- One row per open store; a row whose slot nobody holds was left by a process that did not close.
  CREATE TABLE openers (
    slot TEXT PRIMARY KEY,
    opened_at TEXT NOT NULL
  ) STRICT;
  `,
  // Nothing to change: from here on, rows of the journal have their hash in 43 characters instead of 64.
  '',
];
