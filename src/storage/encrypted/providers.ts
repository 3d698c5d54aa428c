/** The built-in key providers. */

import { argon2 } from 'node:crypto';
import { promisify } from 'node:util';
import { StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { openIfExists, readRange } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { platform } from '../../system/platform.ts';
import { runProgram } from '../../system/process/program.ts';
import { shellFor } from '../../system/process/shell.ts';
import { timeLimit } from '../../system/time-limit.ts';
import { KEY_BYTES } from './aead.ts';
import type { KeyProvider } from './key-provider.ts';

/** Never passed to commands that tasks run. */
const KEY_VARIABLE = 'VIBE_ENGINE_KEY';
export const PASSPHRASE_VARIABLE = 'VIBE_ENGINE_PASSPHRASE';

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable with the key as 64 hexadecimal digits, or in base64. */
export function keyFromEnvironment(env: Environment = process.env, variable = KEY_VARIABLE): KeyProvider {
  const source = phrase`the variable ${variable}`;
  return {
    source,
    async key() {
      const text = env[variable];
      if (!text)
        throw noKey(
          source,
          phrase`it is not set`,
          phrase`Set ${variable}, or say where the key is: "encryption.key_from".`,
        );
      return readKey(source, text);
    },
  };
}

/** A file that only its owner can read. */
export function keyFromFile(path: string): KeyProvider {
  const source = phrase`the file ${path}`;
  return {
    source,
    async key() {
      const file = openIfExists(path, io.READ_NO_WAIT);
      if (!file)
        throw noKey(
          source,
          phrase`it does not exist`,
          phrase`Put it back, or create a new one for a new store: openssl rand -hex 32`,
        );
      try {
        // Of the open file: the mode of a link to it means nothing.
        const stat = io.fstat(file);
        if (!stat.isFile())
          throw noKey(source, phrase`it is not a file`, phrase`Name a file that holds a key.`);
        if (!platform.windows && (stat.mode & 0o077) !== 0)
          throw noKey(source, phrase`others can read it, too`, phrase`Run: chmod 600 ${asWord(path)}`);
        const bytes = readRange(file, 0, MOST_BYTES);
        return isRaw(bytes) ? bytes : readKey(source, bytes.toString('utf8'));
      } finally {
        io.close(file);
      }
    },
  };
}

/** Quoted for a shell. */
function asWord(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Thirty-two random bytes are never all printable; a typed text is. */
function isRaw(bytes: Buffer): boolean {
  return bytes.length === KEY_BYTES && !/^[\x20-\x7e\s]*$/.test(bytes.toString('latin1'));
}

const LIMIT_MS = 60_000;
/** More than any key, so that a larger file is refused. */
const MOST_BYTES = 4096;

/** Runs a command that prints the key: for key services and the system's keychain. */
export function keyFromCommand(command: string, limit_ms: number = LIMIT_MS): KeyProvider {
  const source = phrase`the command ${JSON.stringify(command)}`;
  return {
    source,
    async key() {
      const limit = timeLimit(limit_ms);
      const options = { input: null, signal: limit, keep: MOST_BYTES };
      const end = await runProgram(shellFor(command), options);
      if (end.code !== 0) {
        const how =
          end.code === null ? phrase`it was ended by ${end.signal}` : phrase`it ended with ${end.code}`;
        throw noKey(
          source,
          limit.aborted ? phrase`it was still running after ${limit_ms / 1000} seconds` : how,
          phrase`Run it yourself. It said: ${end.errors.toString('utf8').trim() || '-'}`,
        );
      }
      return readKey(source, end.output.toString('utf8'));
    },
  };
}

/** The cost of trying one passphrase: 64 MiB, three passes. Part of the format: other parameters give other keys. */
const ARGON2 = { memory: 64 * 1024, passes: 3, parallelism: 4, tagLength: KEY_BYTES } as const;
const LEAST_CHARACTERS = 8;

/** Argon2id of a passphrase, with the salt that is kept in the store. */
export function keyFromPassphrase(
  passphrase: string | undefined,
  variable = PASSPHRASE_VARIABLE,
): KeyProvider {
  const source = phrase`the passphrase`;
  return {
    source,
    async key({ salt }) {
      if (!passphrase)
        throw noKey(
          source,
          phrase`there is none`,
          phrase`Set ${variable}, or say where the key is: "encryption.key_from".`,
        );
      if ([...passphrase].length < LEAST_CHARACTERS)
        throw noKey(
          source,
          phrase`it is too short`,
          phrase`Use at least ${LEAST_CHARACTERS} characters; four or five words are better.`,
        );
      const message = Buffer.from(passphrase.normalize('NFC'));
      return promisify(argon2)('argon2id', { ...ARGON2, message, nonce: salt });
    },
  };
}

function readKey(source: string, text: string): Buffer {
  const word = text.trim();
  if (/^[0-9a-f]{64}$/i.test(word)) return Buffer.from(word, 'hex');
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(word) ? Buffer.from(word, 'base64') : null;
  if (bytes?.length === KEY_BYTES) return bytes;
  throw noKey(
    source,
    phrase`its content is not a key`,
    phrase`A key is 64 hexadecimal digits, or 32 bytes in base64.`,
  );
}

function noKey(source: string, why: string, hint: string): StoreError {
  return new StoreError('NO_KEY', phrase`There is no key from ${source}: ${why}.`, {
    data: { source, why },
    hint,
  });
}
