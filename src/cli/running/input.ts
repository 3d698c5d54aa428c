/** What a task is given on the command line: JSON, a file of it (`@file`), or standard input (`-`). */
import { InvalidInputError } from '../../errors.ts';
import { readIfExists } from '../../system/files.ts';
import type { Say } from '../../verbs/text/choose.ts';

export async function readInput(given: string | undefined, say: Say): Promise<unknown> {
  if (given === undefined) return undefined;
  const text = await textOf(given, say);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidInputError('USAGE', say('run.bad_input', { problem: (cause as Error).message }), {
      data: { input: given },
      cause,
      hint: say('run.bad_input_hint'),
    });
  }
}

async function textOf(given: string, say: Say): Promise<string> {
  if (given === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks).toString('utf8');
  }
  if (!given.startsWith('@')) return given;
  const bytes = readIfExists(given.slice(1));
  if (bytes) return bytes.toString('utf8');
  throw new InvalidInputError('USAGE', say('run.no_file', { file: given.slice(1) }), {
    data: { input: given },
    hint: say('run.bad_input_hint'),
  });
}
