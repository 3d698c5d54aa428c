/** Warns once if a likely secret is stored in a store that is not encrypted. */

import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { MAX_DEPTH } from '../../storage/serialize.ts';
import { hasSecret } from './detect.ts';

interface SecretWatch {
  /** Takes note of a value that is about to be stored. It is looked at later, so that no task waits for it. */
  lookAt: LookAt;
  /** Resolves when everything noted has been looked at, and a secret has been reported. */
  settled(): Promise<void>;
}

export type LookAt = (value: unknown) => void;

const [CATEGORY, KEY] = ['notices', 'secret-stored'];
/** Per text: a longer one is rarely a conversation. */
const MOST_CHARACTERS = 64 * 1024;
/** Of texts that wait. While more is stored than can be looked at, the rest is passed over. */
const MOST_WAITING = 4 * MOST_CHARACTERS;
/** Looking takes at most a twentieth of the time. */
const LONGEST_LOOK_MS = 1;
const LOOK_EVERY_MS = 20;

const SAID = [
  phrase`A likely secret (a key, a token, a password) was stored, and this store is not encrypted.`,
  phrase`To encrypt the store run "vibe-engine keys encrypt"; to keep secrets out of it use the hook "redact". This is shown once.`,
];

export function watchSecrets(storage: Storage, notify: (lines: readonly string[]) => void): SecretWatch {
  let seen = storage.encrypted ?? false;
  let waiting: string[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  let saying: Promise<void> = Promise.resolve();

  const say = async (): Promise<void> => {
    if ((await storage.get(CATEGORY!, KEY!)) !== null) return;
    await storage.save(CATEGORY!, KEY!, { at: new Date().toISOString() });
    notify(SAID);
  };
  const lookUntil = (end: number): void => {
    while (waiting.length > 0 && performance.now() < end) {
      const text = waiting.pop()!;
      characters -= text.length;
      if (!hasSecret(text)) continue;
      seen = true;
      waiting = [];
      saying = say().catch(() => {}); // Best effort: no task fails for it.
    }
  };
  const lookSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      lookUntil(performance.now() + LONGEST_LOOK_MS);
      if (waiting.length > 0) lookSoon();
    }, LOOK_EVERY_MS);
  };

  return {
    lookAt: (value) => {
      if (seen) return;
      noteTexts(value, (text) => {
        if (characters > MOST_WAITING) return;
        waiting.push(text);
        characters += text.length;
      });
      if (waiting.length > 0) lookSoon();
    },
    async settled() {
      clearTimeout(timer);
      timer = undefined;
      lookUntil(Number.POSITIVE_INFINITY);
      await saying;
    },
  };
}

/** Texts do not change once they are noted, unlike what they are in. */
function noteTexts(value: unknown, note: (text: string) => void): void {
  try {
    collect(value, note, 0);
  } catch {
    // What cannot be looked at, such as a value that contains itself, is refused when it is stored.
  }
}

/** No secret is found in fewer characters. */
const SHORTEST = 8;

function collect(value: unknown, note: (text: string) => void, depth: number): void {
  if (typeof value === 'string') {
    if (value.length >= SHORTEST) note(value.slice(0, MOST_CHARACTERS));
    return;
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (depth > MAX_DEPTH) throw new Error('nested too deeply');
  const parts = value instanceof Map || value instanceof Set ? value : Object.values(value);
  for (const part of parts) collect(part, note, depth + 1);
}
