/** A session of two turns as Claude Code tells it, and what its tools do to files between the hooks. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Payload } from '../../../src/agents/client.ts';

export interface Act {
  /** Of the hook: its event, and the call or the prompt that it is about. */
  readonly name: string;
  readonly payload: Payload;
  /** What the tool does after the hook, whether that was answered or not. */
  readonly then?: (dir: string) => void;
  /** What a person does after it. */
  readonly meanwhile?: (dir: string) => void;
}

const write = (path: string, text: string) => (dir: string) => writeFileSync(join(dir, path), text);

/** The files before the session. */
export const BEFORE: Readonly<Record<string, string>> = { 'base.txt': 'base\n', 'gone.txt': 'gone\n' };
/** What a person writes between the turns. */
export const MINE = ['mine.txt', 'a person\n'] as const;

function act(
  event: string,
  about: string,
  more: Readonly<Record<string, unknown>> = {},
  then?: Act['then'],
): Act {
  const payload = { hook_event_name: event, session_id: 's-1', ...more };
  return { name: `${event} ${about}`, payload, ...(then ? { then } : {}) };
}

const prompt = (n: number): Act =>
  act('UserPromptSubmit', `p${n}`, { prompt: promptText(n), prompt_id: `p${n}` });
const stop = (n: number): Act => act('Stop', `${n}`, { last_assistant_message: endText(n) });

export const promptText = (n: number): string => `prompt ${n}`;
export const endText = (n: number): string => `turn ${n} has ended`;

interface Call {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly does?: Act['then'];
  /** Null: it is refused, and has no result. */
  readonly output: string | null;
  readonly fails?: boolean;
}

/** Large ones are stored as blobs. */
const long = (word: string): string => `${word} `.repeat(3_000);

export const CALLS: readonly Call[] = [
  {
    id: 'c1',
    tool: 'Write',
    input: { file_path: 'a.txt', content: 'one\n' },
    does: write('a.txt', 'one\n'),
    output: 'written',
  },
  { id: 'c2', tool: 'Read', input: { file_path: 'a.txt' }, output: 'one\n' },
  {
    id: 'c3',
    tool: 'Bash',
    input: { command: long('make') },
    does: (dir) => {
      write('b.txt', 'two\n')(dir);
      write('base.txt', 'changed\n')(dir);
      rmSync(join(dir, 'gone.txt'), { force: true });
    },
    output: long('made'),
  },
  {
    id: 'c4',
    tool: 'Bash',
    input: { command: 'false' },
    does: write('d.txt', 'four\n'),
    output: 'exit 1',
    fails: true,
  },
  { id: 'c5', tool: 'Bash', input: { command: 'git push' }, output: null },
  {
    id: 'c6',
    tool: 'Edit',
    input: { file_path: 'a.txt', old_string: 'one', new_string: 'six' },
    does: (dir) => {
      const at = join(dir, 'a.txt');
      writeFileSync(at, existsSync(at) ? readFileSync(at, 'utf8').replace('one', 'six') : 'six\n');
    },
    output: 'edited',
  },
];

function callActs({ id, tool, input, does, output, fails }: Call): Act[] {
  const call = { tool_name: tool, tool_use_id: id, tool_input: input };
  const end =
    output === null
      ? act('PostToolBatch', id, { tool_calls: [{ tool_use_id: id, tool_response: 'not allowed' }] })
      : fails
        ? act('PostToolUseFailure', id, { ...call, error: output })
        : act('PostToolUse', id, { ...call, tool_response: output });
  return [act('PreToolUse', id, call, does), end];
}

export const SCRIPT: readonly Act[] = [
  act('SessionStart', ''),
  prompt(1),
  ...CALLS.slice(0, 5).flatMap(callActs),
  { ...stop(1), meanwhile: write(...MINE) },
  prompt(2),
  ...CALLS.slice(5).flatMap(callActs),
  stop(2),
  act('SessionEnd', ''),
];

/** Where a person who starts the client again goes on: at the next prompt, or with one more. */
export function afterDeath(at: number): readonly Act[] {
  const next = SCRIPT.findIndex(({ name }, i) => i > at && name.startsWith('UserPromptSubmit'));
  return next < 0 ? [prompt(3), stop(3), act('SessionEnd', '')] : SCRIPT.slice(next);
}
