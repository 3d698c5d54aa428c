/** Reads thrown values safely: a getter or a proxy may throw again, and a text may have any length. */
import { phrase } from '../../phrase.ts';

/** The value, or a fallback if reading it throws. */
export function safely<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

const MOST_CHARACTERS = 16 * 1024;

/** A message or a stack, cut to the length that is stored. */
export function cutText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS).toWellFormed()}… (+${text.length - MOST_CHARACTERS})`;
}

export function isError(thrown: unknown): thrown is Error {
  return safely(() => thrown instanceof Error, false);
}

/** Any thrown value as one text. */
export function messageOf(thrown: unknown): string {
  const text = (): string => (isError(thrown) ? String(thrown.message) : String(thrown));
  return cutText(safely(text, phrase`What was thrown cannot be read.`));
}
