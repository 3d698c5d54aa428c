/** Resolvers that are programs: one that answers a prompt, one that is a merge tool. */
import { join } from 'node:path';
import { readIfExists, removeTree, writeAll } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { runProgram } from '../../system/process/program.ts';
import { shellFor, shellWord } from '../../system/process/shell.ts';
import { makeTempDir } from '../../system/user/temp.ts';
import { resolverPrompt } from './prompt.ts';
import type { Resolver } from './resolver.ts';

/** No file that is merged is larger. */
const MOST_BYTES = 32 * 1024 * 1024;

/** A program with its arguments, or text for the shell. */
type Command = string | readonly string[];

/** Reads the prompt on its input and writes the merged file to its output, such as a model's command line. */
export function commandResolver(command: string | readonly string[], timeout_ms = 120_000): Resolver {
  return {
    name: nameOf(command),
    async resolve(file, signal) {
      const { code, output, left_out } = await runProgram(toRun(command), {
        input: Buffer.from(resolverPrompt(file)),
        signal,
        timeout_ms,
        keep: MOST_BYTES,
      });
      const isWhole = output.length > 0 && left_out.output === 0;
      return code === 0 && isWhole ? withoutFence(output) : null;
    },
  };
}

/** A function that is given the prompt, such as a call to a model. */
export function promptResolver(
  name: string,
  answer: (prompt: string, signal: AbortSignal) => Promise<string | null>,
): Resolver {
  return {
    name,
    async resolve(file, signal) {
      const text = await answer(resolverPrompt(file), signal);
      return text === null ? null : withoutFence(Buffer.from(text));
    },
  };
}

/** An external merge tool: `{base}`, `{ours}`, `{theirs}` and `{merged}` in its command stand for files. */
export function toolResolver(command: string | readonly string[], timeout_ms = 3_600_000): Resolver {
  return {
    name: nameOf(command),
    async resolve({ path, base, ours, theirs, merge }, signal) {
      const dir = makeTempDir('ve-merge-');
      const extension = /\.[^./]+$/.exec(path)?.[0] ?? '';
      const fileOf = (name: string) => join(dir, `${name}${extension}`);
      try {
        for (const [name, bytes] of Object.entries({ base, ours, theirs, merged: merge.bytes })) {
          const file = io.open(fileOf(name), 'wx');
          writeAll(file, bytes);
          io.close(file);
        }
        const fill = (part: string, quote = (path: string) => path) =>
          part.replace(/\{(base|ours|theirs|merged)\}/g, (_, name: string) => quote(fileOf(name)));
        const filled =
          typeof command === 'string' ? fill(command, shellWord) : command.map((part) => fill(part));
        const { code } = await runProgram(toRun(filled), { input: null, signal, timeout_ms, keep: 0 });
        return code === 0 ? readIfExists(fileOf('merged')) : null;
      } finally {
        removeTree(dir);
      }
    },
  };
}

function nameOf(command: Command): string {
  return (typeof command === 'string' ? command.trim().split(/\s+/) : command)[0] ?? 'command';
}

function toRun(command: Command): readonly string[] {
  return typeof command === 'string' ? shellFor(command) : command;
}

/** Models often put a file between code fences. */
function withoutFence(answer: Uint8Array): Uint8Array {
  const text = Buffer.from(answer).toString();
  const fenced = /^\s*```[^\n]*\n([\s\S]*?\n)?```\s*$/.exec(text);
  return fenced ? Buffer.from(fenced[1] ?? '') : answer;
}
