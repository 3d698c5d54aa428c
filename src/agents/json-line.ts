/** Lines of a client's record: objects as JSON, one a line. */

import { isObject, jsonIn } from '../system/json.ts';

export type Line = Readonly<Record<string, unknown>>;

/** Null for what is no object: a line that a crash left torn in the middle of the file is none of the conversation. */
export function parseLine(text: string): Line | null {
  const value = jsonIn(text);
  return isObject(value) ? value : null;
}

/** The objects of a list; none where it is no list. */
export function objectsIn(value: unknown): readonly Line[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textIn(line: Line, name: string): string | undefined {
  const value = line[name];
  return typeof value === 'string' ? value : undefined;
}
