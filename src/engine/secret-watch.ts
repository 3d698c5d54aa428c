/** Says once, of a store that is not encrypted, that it has received what looks like a secret. */
import type { Storage } from '../storage/contract.ts';
import { hasSecret } from './secrets.ts';

/** Looks at a value that is about to be stored. */
export type LookAt = (value: unknown) => void;

const [CATEGORY, KEY] = ['notices', 'secret-stored'];
/** Of one text: what is longer is rarely a conversation. */
const MOST_CHARACTERS = 64 * 1024;

const SAID = [
  'What looks like a secret (a key, a token, a password) was stored, and this store is not encrypted.',
  'To seal what is stored set "encryption.enabled"; to leave such texts out give the hook "redact". This is said once.',
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
    if (seen || !holds(value)) return;
    seen = true;
    say().catch(() => {}); // It is a courtesy: no task fails for it.
  };
}

function holds(value: unknown): boolean {
  if (typeof value === 'string') return hasSecret(value.slice(0, MOST_CHARACTERS));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  if (value instanceof Map || value instanceof Set) return [...value].some(holds);
  return Object.values(value).some(holds);
}
