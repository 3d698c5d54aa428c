/** What was thrown, as it is stored. */
import * as z from 'zod';
import { VibeError } from '../../errors.ts';
import { encode } from '../../storage/serialize.ts';
import { cutText, isError, messageOf, safely } from '../api/thrown.ts';

export const ERROR = z.object({
  name: z.string(),
  message: z.string(),
  code: z.string().optional(),
  stack: z.string().optional(),
  /** For an error of this project: its data and hint. */
  data: z.record(z.string(), z.unknown()).optional(),
  hint: z.string().optional(),
});
export type StoredError = z.infer<typeof ERROR>;

/** Anything can be thrown. */
export function storedError(error: unknown): StoredError {
  const message = messageOf(error);
  if (!isError(error)) return { name: 'Error', message };
  const code = safely(() => (error as { code?: unknown }).code, undefined);
  const stack = safely((): unknown => error.stack, undefined);
  return {
    name: safely(() => cutText(String(error.name)), 'Error'),
    message,
    ...(typeof code === 'string' ? { code: cutText(code) } : {}),
    ...(typeof stack === 'string' ? { stack: cutText(stack) } : {}),
    ...(error instanceof VibeError && isStorable(error.data) ? { data: error.data, hint: error.hint } : {}),
  };
}

const MOST_CHARACTERS = 10_000;

function isStorable(data: unknown): boolean {
  try {
    return encode(data).length <= MOST_CHARACTERS;
  } catch {
    return false; // It has something that cannot be stored.
  }
}
