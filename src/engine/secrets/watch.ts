/** Warns once if a likely secret is stored in a store that is not encrypted. */

import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { MAX_DEPTH } from '../../storage/serialize.ts';
import { hasSecret } from './detect.ts';

/** Checks a value that is about to be stored. */
export type LookAt = (value: unknown) => void;

const [CATEGORY, KEY] = ['notices', 'secret-stored'];
/** Per text: a longer one is rarely a conversation. */
const MOST_CHARACTERS = 64 * 1024;

const SAID = [
  phrase`A likely secret (a key, a token, a password) was stored, and this store is not encrypted.`,
  phrase`To encrypt the store run "vibe-engine keys encrypt"; to keep secrets out of it use the hook "redact". This is shown once.`,
];

export function watchSecrets(storage: Storage, notify: (lines: readonly string[]) => void): LookAt {
  if (storage.encrypted) return () => {};
  let seen = false;
  const say = async (): Promise<void> => {
    if ((await storage.get(CATEGORY!, KEY!)) !== null) return;
    await storage.save(CATEGORY!, KEY!, { at: new Date().toISOString() });
    notify(SAID);
  };
  return (value) => {
    if (seen || !holdsSecret(value)) return;
    seen = true;
    say().catch(() => {}); // Best effort: no task fails for it.
  };
}

/** What cannot be looked at, such as a value that contains itself, is refused when it is stored. */
function holdsSecret(value: unknown): boolean {
  try {
    return holds(value, 0);
  } catch {
    return false;
  }
}

function holds(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return hasSecret(value.slice(0, MOST_CHARACTERS));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  if (depth > MAX_DEPTH) throw new Error('nested too deeply');
  const parts = value instanceof Map || value instanceof Set ? [...value] : Object.values(value);
  return parts.some((part) => holds(part, depth + 1));
}
