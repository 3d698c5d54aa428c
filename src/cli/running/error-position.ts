/**
 * Where in which file the code of a task went wrong while it was loaded: Node reports that only when it ends the process.
 */
import { stripTypeScriptTypes } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readIfExists } from '../../system/files.ts';

interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number | null;
}

/** Null if not known. `path` is the requested file. */
export function errorPosition(thrown: unknown, path: string): SourcePosition | null {
  if (!(thrown instanceof Error)) return null;
  const stack = String(thrown.stack);
  return aboveMessage(stack) ?? firstFrame(stack) ?? (thrown instanceof SyntaxError ? parsed(path) : null);
}

/** `changelog.ts:3:13` */
export function positionText({ file, line, column }: SourcePosition): string {
  return [relative('', file), line, ...(column === null ? [] : [column])].join(':');
}

/** As syntax errors in TypeScript begin: the file and the line, the text of it, and a mark below what is wrong. */
function aboveMessage(stack: string): SourcePosition | null {
  const [, url, line, shown] = /^(file:\S+):(\d+)\n([\s\S]*?)\n\n/.exec(stack) ?? [];
  if (url === undefined) return null;
  const mark = /^( *)\^/m.exec(shown!)?.[1];
  return {
    file: fileURLToPath(url),
    line: Number(line),
    column: mark === undefined ? null : mark.length + 1,
  };
}

/** The first that is not ours. */
function firstFrame(stack: string): SourcePosition | null {
  for (const [, url, line, column] of stack.matchAll(FRAMES))
    if (!url!.startsWith(OURS))
      return { file: fileURLToPath(url!), line: Number(line), column: Number(column) };
  return null;
}
const FRAMES = /^ +at (?:.*\()?(file:.*?):(\d+):(\d+)\)?$/gm;
const OURS = new URL('.', import.meta.url).href;

/** For JavaScript Node does not give the position; the TypeScript parser reads that, too. */
function parsed(path: string): SourcePosition | null {
  const emit = process.emitWarning;
  process.emitWarning = () => {}; // It warns that it is experimental.
  try {
    stripTypeScriptTypes(readIfExists(path)?.toString('utf8') ?? '', { sourceUrl: `file://${path}` });
    return null; // The fault is in a file that this one imports.
  } catch (error) {
    return aboveMessage(String((error as Error).stack));
  } finally {
    process.emitWarning = emit;
  }
}
