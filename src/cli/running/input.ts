/** A task's input on the command line: JSON, a file of it (`@file`), or standard input (`-`). */
import { relative, resolve } from 'node:path';
import { END_OF_TEXT, parseJson } from '../../config/json-text.ts';
import { nearestFile } from '../../config/nearest-file.ts';
import { InvalidInputError } from '../../errors.ts';
import { MAX_TEXT } from '../../storage/serialize.ts';
import { readIfExists } from '../../system/files.ts';
import type { Say } from '../../verbs/text/choose.ts';

export async function readInput(given: string | undefined, say: Say): Promise<unknown> {
  if (given === undefined) return undefined;
  const read = parseJson(await textOf(given, say));
  if (read.ok) return read.value;
  const { line, column } = read;
  const found = read.found === END_OF_TEXT ? say('run.input_end') : read.found;
  throw badInput(given, say('run.input_place', { line, column, found }), say);
}

function badInput(input: string, problem: string, say: Say): InvalidInputError {
  return new InvalidInputError('USAGE', say('run.bad_input', { problem }), {
    data: { input: input.slice(0, 200) },
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
  const near = nearestFile(resolve(given.slice(1)));
  const meant = near === undefined ? '' : say('usage.nearest', { nearest: `@${relative('', near)}` });
  throw new InvalidInputError('USAGE', say('run.no_file', { file: given.slice(1) }), {
    data: { input: given, nearest: near ?? null },
    hint: meant + say('run.bad_input_hint'),
  });
}
