/** Reading records, and listing keys and tasks. Order is that of UTF-8 bytes, which is that of code points. */
import { hash } from 'node:crypto';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Listing, Page, PageQuery, StoredText } from '../backend.ts';
import { textArray } from './arrays.ts';
import type { Connection } from './connection.ts';

interface Records {
  get(category: string, key: string): Promise<StoredText | null>;
  page(list: Listing, query: PageQuery): Promise<Page>;
}

export function openRecords(connection: Connection): Records {
  const rowOf = groupedGet(connection);

  async function keys(source: string, first: readonly unknown[], query: PageQuery): Promise<Page> {
    const { prefix = '', after, limit = 100, reverse = false } = query;
    // No key has such characters, and the server refuses them.
    if (!isStorable(prefix) || (after !== undefined && !isStorable(after))) return { keys: [], next: null };
    const values: unknown[] = [...first];
    const given = (value: unknown) => `$${values.push(value)}`;
    const end = prefixEnd(prefix);
    const conditions = [
      prefix === '' ? '' : `AND key >= ${given(prefix)}`,
      end === null ? '' : `AND key < ${given(end)}`,
      after === undefined ? '' : `AND key ${reverse ? '<' : '>'} ${given(after)}`,
      `ORDER BY key ${reverse ? 'DESC' : 'ASC'} LIMIT ${given(limit + 1)}`,
    ];
    const text = `SELECT key FROM (${source}) AS s WHERE true ${conditions.join(' ')}`;
    const rows = await connection.query<{ key: string }>({ text }, values);
    const found = rows.slice(0, limit).map(({ key }) => key);
    return { keys: found, next: rows.length > limit ? (found.at(-1) ?? null) : null };
  }

  return {
    get: async (category, key) => {
      const row = await rowOf(category, key);
      return row ? recordOf(row) : null;
    },
    page: (list, query) => {
      if (list === 'tasks') return keys('SELECT task AS key FROM $.heads WHERE listed', [], query);
      if (list === 'categories') return keys(CATEGORIES, [], query);
      return keys('SELECT key FROM $.persistence WHERE category = $1', [list.category], query);
    },
  };
}

export interface RecordRow {
  id: string;
  category: string;
  key: string;
  data: string;
  revision: string;
  updated_at: Date;
  checksum: string;
}

export const RECORD_COLUMNS = 'id, category, key, data, revision, updated_at, checksum';

/** Skips from one to the next with the index, so that the number of records does not matter. */
const CATEGORIES = `WITH RECURSIVE found (name) AS (
    SELECT min(category) FROM $.persistence
    UNION ALL
    SELECT (SELECT min(category) FROM $.persistence WHERE category > name) FROM found WHERE name IS NOT NULL
  ) SELECT name COLLATE "C" AS key FROM found WHERE name <> 'tasks'`;

const GET = {
  name: 'get',
  text: `SELECT ${RECORD_COLUMNS} FROM $.persistence WHERE category = $1 AND key = $2`,
};

const GET_SEVERAL = {
  name: 'get_several',
  text: `SELECT ${RECORD_COLUMNS} FROM unnest($1::text[], $2::text[]) AS wanted (category, key)
    JOIN $.persistence USING (category, key)`,
};

const MOST_WANTED = 25;

/** Reads requested in the same turn are combined into few statements, so that they do not need a connection each. */
function groupedGet(
  connection: Connection,
): (category: string, key: string) => Promise<RecordRow | undefined> {
  let group: { wanted: [category: string, key: string][]; rows: Promise<RecordRow[]> } | undefined;

  function newGroup(): NonNullable<typeof group> {
    const wanted: [string, string][] = [];
    const rows = new Promise(process.nextTick).then(() => {
      group = undefined;
      if (wanted.length === 1) return connection.query<RecordRow>(GET, wanted[0]);
      const columns = [0, 1].map((column) => textArray(wanted.map((place) => place[column]!)));
      return connection.query<RecordRow>(GET_SEVERAL, columns);
    });
    return { wanted, rows };
  }

  return async (category, key) => {
    if (!group || group.wanted.length === MOST_WANTED) group = newGroup();
    group.wanted.push([category, key]);
    const rows = await group.rows;
    return rows.find((row) => row.category === category && row.key === key);
  };
}

/** The checksum of a record: over its key and its data. */
export function recordSeal(category: string, key: string, text: string): string {
  return hash('sha256', `${category}\n${key}\n${text}`);
}

/** The verified record. */
export function recordOf({ id, category, key, data, revision, updated_at, checksum }: RecordRow): StoredText {
  if (recordSeal(category, key, data) !== checksum) {
    throw new CorruptError(phrase`The record ${category}/${key} does not match its checksum.`, {
      data: { category, key, where: `persistence, row ${id}` },
      hint: phrase`It was damaged, or changed by something other than the store. Save it again, or restore the row from a backup.`,
    });
  }
  return { text: data, revision: Number(revision), updated_at: updated_at.toISOString() };
}

/** The first text after all texts with the prefix; null when there is none. */
export function prefixEnd(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
