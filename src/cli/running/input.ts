/** What a task is given on the command line: JSON, a file of it (`@file`), or standard input (`-`). */
import { InvalidInputError } from '../../errors.ts';
import { MAX_TEXT } from '../../storage/serialize.ts';
import { readIfExists } from '../../system/files.ts';
import type { Say } from '../../verbs/text/choose.ts';

export async function readInput(given: string | undefined, say: Say): Promise<unknown> {
  if (given === undefined) return undefined;
  const text = await textOf(given, say);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badInput(given, (cause as Error).message, say, cause);
  }
}

function badInput(input: string, problem: string, say: Say, cause?: unknown): InvalidInputError {
  return new InvalidInputError('USAGE', say('run.bad_input', { problem }), {
    data: { input: input.slice(0, 200) },
    ...(cause === undefined ? {} : { cause }),
    hint: say('run.bad_input_hint'),
  });
}

async function textOf(given: string, say: Say): Promise<string> {
  if (given === '-') {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > MAX_TEXT) throw badInput(given, `> ${MAX_TEXT} bytes`, say);
      chunks.push(Buffer.from(chunk));
    }
    return Buffer.concat(chunks).toString('utf8');
  }
  if (!given.startsWith('@')) return given;
  const bytes = readIfExists(given.slice(1), MAX_TEXT);
  if (bytes) return bytes.toString('utf8');
  throw new InvalidInputError('USAGE', say('run.no_file', { file: given.slice(1) }), {
    data: { input: given },
    hint: say('run.bad_input_hint'),
  });
}
