/** opencode's record: messages and their parts, as JSON in a SQLite database whose ids sort by time. Only read. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { exists } from '../../system/io.ts';
import { isObject } from '../../system/json.ts';
import { type Line, parseLine } from '../json-line.ts';

export interface Message {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly Line[];
}

/** The messages of a session after that one, oldest first: all, where none is named. Null if there is no record. */
export function messagesAfter(session: string, after: string | undefined): readonly Message[] | null {
  const path = databaseFile();
  if (!exists(path)) return null;
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const messages = database
      .prepare('SELECT id, data FROM message WHERE session_id = ? AND id > ? ORDER BY id')
      .all(session, after ?? '');
    const parts = database.prepare('SELECT data FROM part WHERE message_id = ? ORDER BY id');
    return messages.map(({ id, data }) => ({
      id: String(id),
      role: String(read(data).role),
      parts: parts.all(id ?? null).map((part) => read(part.data)),
    }));
  } finally {
    database.close();
  }
}

export function databaseFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'opencode', 'opencode.db');
}

function read(data: unknown): Line {
  const value = parseLine(String(data));
  return isObject(value) ? value : {};
}
