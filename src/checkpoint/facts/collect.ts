/** What must not be lost of a conversation: gathered from messages, tool calls and decisions, each fact once, in order. */
import type { Decision, Message, ToolOutput } from '../record/record.ts';
import { findCommands } from './commands.ts';
import { type Author, findDecisions } from './decisions.ts';
import { findErrors } from './errors.ts';
import { addFound, type Found, foundAt, nothingFound } from './found.ts';
import { findPaths } from './paths.ts';

export interface Facts extends Found {
  messages: number;
  tool_outputs: number;
  /** The first thing a person said. */
  request: string | null;
  /** Earlier summaries, complete. */
  readonly summaries: Set<string>;
  /** How often each tool was called. */
  readonly tools: Map<string, number>;
}

export function noFacts(): Facts {
  return {
    messages: 0,
    tool_outputs: 0,
    request: null,
    summaries: new Set(),
    tools: new Map(),
    ...nothingFound(),
  };
}

/** `hash`: of the journal at the entry that it is from, by which what is found in it is known again. */
export function addMessage(facts: Facts, message: Message, hash?: string): void {
  const { role, content } = message;
  facts.messages += 1;
  if (role === 'summary' && typeof content === 'string') {
    add(facts.summaries, content);
    return;
  }
  if (role === 'user' && facts.request === null && typeof content === 'string') {
    facts.request = detached(clipped(content, LONGEST_REQUEST));
  }
  addFound(
    facts,
    foundAt(hash, (found) => lookThroughMessage(found, message)),
  );
}

export function addTool(facts: Facts, output: ToolOutput, hash?: string): void {
  const { tool } = output;
  facts.tool_outputs += 1;
  facts.tools.set(tool, (facts.tools.get(tool) ?? 0) + 1);
  addFound(
    facts,
    foundAt(hash, (found) => lookThroughTool(found, output)),
  );
}

function lookThroughMessage(found: Found, { role, content }: Message): void {
  const by = role === 'user' || role === 'system' ? 'person' : role === 'tool' ? 'tool' : 'agent';
  walk(found, content, { by, failed: false, key: '' });
}

function lookThroughTool(facts: Found, { tool, input, output, status }: ToolOutput): void {
  const shell = /^(?:bash|shell|sh|zsh|terminal|exec(?:ute)?|run(?:_?command)?|cmd|powershell)$/i.test(tool);
  walk(facts, input, { by: 'agent', failed: false, key: shell ? 'command' : '' });
  if (status === 'unknown') add(facts.errors, `${tool} was cut off: what it did is not known.`);
  const failed = status === 'error';
  if (failed && typeof output !== 'string') add(facts.errors, `${tool} failed.`);
  walk(facts, output, { by: 'tool', failed, key: '' });
}

export function addDecision(facts: Facts, { what, why, alternatives }: Decision): void {
  const reason = why === undefined ? '' : ` (${why})`;
  const others = alternatives && alternatives.length > 0 ? `; not: ${alternatives.join('; ')}` : '';
  add(facts.decisions, `${what}${reason}${others}`);
}

interface Where {
  readonly by: Author;
  /** Inside what reports a failure, where all text counts as being about it. */
  readonly failed: boolean;
  /** The name of the member it is in. */
  readonly key: string;
}

const PATH_KEY =
  /^(?:path|paths|file|files|file_?name|dir|directory|folder|cwd|root)$|(?:_|[a-z](?=[PFD]))(?:path|file|dir|directory)s?$/i;
const COMMAND_KEY = /^(?:command|commands|cmd|shell_?command|command_?line|script|bash|shell|exec)$/i;
const ERROR_KEY = /^(?:error|errors|err|stderr|exception|traceback|stack|failure|error_?message)$/i;

function walk(facts: Found, value: unknown, where: Where): void {
  if (typeof value === 'string') text(facts, value, where);
  else if (value instanceof Error) {
    add(facts.errors, `${value.name}: ${value.message}`);
    text(facts, value.stack ?? value.message, { ...where, failed: true, key: 'error' });
  } else if (Array.isArray(value)) list(facts, value, where);
  else if (value instanceof Map)
    for (const [key, item] of value) walk(facts, item, { ...where, key: String(key) });
  else if (value instanceof Set) list(facts, [...value], where);
  else if (value instanceof URL) walk(facts, value.href, where);
  else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    members(facts, value, where);
}

function list(facts: Found, items: readonly unknown[], where: Where): void {
  const words = items.length > 0 && items.every((item) => typeof item === 'string');
  if (words && COMMAND_KEY.test(where.key)) add(facts.commands, clipped(items.join(' '), LONGEST_COMMAND));
  for (const item of items) walk(facts, item, where);
}

function members(facts: Found, value: object, where: Where): void {
  const failed = where.failed || reportsFailure(value);
  const { command, args } = value as { command?: unknown; args?: unknown };
  if (typeof command === 'string' && Array.isArray(args)) add(facts.commands, [command, ...args].join(' '));
  for (const [key, item] of Object.entries(value)) {
    walk(facts, item, { ...where, key, failed: failed || ERROR_KEY.test(key) });
  }
}

function reportsFailure(value: object): boolean {
  const { is_error, isError, success, ok, status, exit_code, exitCode } = value as Record<string, unknown>;
  if (is_error === true || isError === true || success === false || ok === false) return true;
  const code = exit_code ?? exitCode;
  return (typeof code === 'number' && code !== 0) || status === 'error' || status === 'failed';
}

function text(facts: Found, given: string, { by, failed, key }: Where): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal are what it removes.
  const plain = given.includes('\u001b[') ? given.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '') : given;
  if (PATH_KEY.test(key) && isOneLine(plain)) add(facts.paths, plain);
  if (COMMAND_KEY.test(key)) add(facts.commands, clipped(plain, LONGEST_COMMAND));
  if (failed) add(facts.errors, clipped(plain.trim().split('\n', 1)[0]!, LONGEST_ERROR));
  findErrors(plain, failed || by !== 'tool' ? 'about' : 'output', (line) => add(facts.errors, line));
  findCommands(plain, (command) => add(facts.commands, clipped(command, LONGEST_COMMAND)));
  findDecisions(plain, by, (sentence) => add(facts.decisions, sentence));
  findPaths(plain, { path: (path) => add(facts.paths, path), link: (address) => add(facts.links, address) });
}

const LONGEST_REQUEST = 4_000;
/** How much of one command is kept: a longer one contains a file, which the journal has. */
const LONGEST_COMMAND = 8_000;
const LONGEST_ERROR = 1_000;
const LONGEST_PATH = 1_024;

function isOneLine(value: string): boolean {
  return value.length <= LONGEST_PATH && !value.includes('\n');
}

function clipped(value: string, most: number): string {
  return value.length <= most ? value : `${value.slice(0, most)} … (${value.length - most} more characters)`;
}

function add(facts: Set<string>, fact: string): void {
  const bare = fact.trim();
  if (bare !== '' && !facts.has(bare)) facts.add(detached(bare));
}

/** A copy: a part of a string otherwise keeps all of that string in memory. */
function detached(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le');
}
