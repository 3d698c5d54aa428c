/** Where private keys stand in a text: a part of it that begins inside one does not show by itself that it is one. Pure. */
import type { Lines } from './lines.ts';

const HINT = 'PRIVATE KEY-----';
const KEY = /(-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g;

/** How such a part begins where it is shown alone: what masks secrets finds the rest by it. */
export const KEY_BEGINS = '-----BEGIN PRIVATE KEY-----';

/** Whether a place is behind the beginning of a private key and before its end. */
export function insideKeys(text: string): (at: number) => boolean {
  if (!text.includes(HINT)) return nowhere;
  const keys = [...text.matchAll(KEY)].map(({ 0: key, 1: begin, index }) => ({
    from: index + begin!.length,
    to: index + key.length,
  }));
  return (at) => keys.some(({ from, to }) => at >= from && at < to);
}

const nowhere = (): boolean => false;

/** Whether a line begins inside a private key. */
export function linesInsideKeys({ bytes, starts }: Lines): (line: number) => boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!text.includes(HINT)) return nowhere;
  const isInside = insideKeys(text.toString('latin1')); // One character for each byte.
  return (line) => isInside(starts[line]!);
}

/** Whether lines have a part of a private key without its beginning. */
export function lackBeginning(
  lines: readonly { readonly text: string; readonly inside_key?: readonly string[] }[],
): boolean {
  const first = lines.findIndex(({ inside_key }) => inside_key !== undefined);
  return first >= 0 && !lines.slice(0, first).some(({ text }) => text.includes(HINT));
}
