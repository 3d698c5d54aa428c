/** The state of a task: what `state.json` holds. Sealed with a checksum to be stored, opened and checked to be read. */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { CorruptError, InvalidStateError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { parserOf } from '../system/parser.ts';
import { STATE_DATA_SCHEMAS, type StateData } from './data.ts';
import type { TaskStatus } from './status.ts';

export const STATE_VERSION = '1.0';

/** A state by its status; without the data of its status it is not a state. */
export type TaskState<S extends TaskStatus = TaskStatus> = { [K in S]: StateOf<K> }[S];

interface StateOf<S extends TaskStatus> {
  /** The form of this record. */
  readonly version: typeof STATE_VERSION;
  readonly task_id: string;
  /** What people call the task. */
  readonly task_name: string;
  readonly status: S;
  /** ISO 8601, as all times here. */
  readonly created_at: string;
  /** Never goes backwards, even if the clock does. */
  readonly updated_at: string;
  /** What this status keeps. */
  readonly data: StateData[S];
}

/** As stored: with the SHA-256 over all the rest. */
type SealedState<S extends TaskStatus = TaskStatus> = TaskState<S> & { readonly checksum: string };

/** Turns values into text: `encode` of the stores. Passed in, because this folder may not import from them. */
type Encode = (value: unknown) => string;

export function sealState<S extends TaskStatus>(state: TaskState<S>, encode: Encode): SealedState<S> {
  return { ...state, checksum: checksumOf(state, encode) };
}

/** The state that was sealed. INVALID_STATE names the field that is missing or wrong; CORRUPT is a wrong checksum. */
export function openState(stored: unknown, encode: Encode): TaskState {
  const { checksum, ...rest } = parsed(parseObject, stored);
  const state = parseState(rest);
  if (checksumOf(rest, encode) !== parsed(parseChecksum, checksum, 'checksum')) {
    throw new CorruptError(phrase`The stored state of task ${state.task_id} does not match its checksum.`, {
      data: { task_id: state.task_id, field: 'checksum' },
      hint: phrase`It was changed or damaged after it was written; the journal of the task still has what it was.`,
    });
  }
  return state;
}

/** The value, if it is a complete state of its status. */
export function parseState(value: unknown): TaskState {
  const state = parsed(parseAny, value);
  if (state.status === 'queued') {
    assertSame(state, 'task_id');
    assertSame(state, 'created_at');
  }
  return state;
}

/** SHA-256 over the encoded rest with its keys sorted, so that the order of keys in the file does not matter. */
function checksumOf(rest: object, encode: Encode): string {
  return hash('sha256', JSON.stringify(JSON.parse(encode(rest)), sortKeys));
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const parseObject = parserOf(z.looseObject({}));
const parseChecksum = parserOf(z.string().regex(/^[0-9a-f]{64}$/));

const STATE: z.ZodType<TaskState> = z.discriminatedUnion('status', [
  schemaOf('queued'),
  schemaOf('in_progress'),
  schemaOf('paused'),
  schemaOf('waiting'),
  schemaOf('completed'),
  schemaOf('failed'),
  schemaOf('cancelled'),
]);
const parseAny = parserOf(STATE);

function schemaOf<S extends TaskStatus>(status: S) {
  const time = z.iso.datetime();
  return z.strictObject({
    version: z.literal(STATE_VERSION),
    task_id: z.string().min(1),
    task_name: z.string().min(1),
    status: z.literal(status),
    created_at: time,
    updated_at: time,
    data: STATE_DATA_SCHEMAS[status],
  });
}

function assertSame(state: TaskState<'queued'>, field: 'task_id' | 'created_at'): void {
  if (state.data[field] !== state[field])
    invalid(`data.${field}`, phrase`the same as ${field} of the state`, state);
}

/** The value as parsed by the schema. INVALID_STATE names the first field that is wrong. */
function parsed<T>(parse: ReturnType<typeof parserOf<T>>, value: unknown, name = ''): T {
  const result = parse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [name, ...issue.path, ...unknown].filter((part) => part !== '').join('.');
  return invalid(field, issue.message, value);
}

function invalid(field: string, expected: string, value: unknown): never {
  const { task_id, status } = (value ?? {}) as { task_id?: unknown; status?: unknown };
  throw new InvalidStateError(
    phrase`Not a task state: ${field === '' ? 'the value' : field} is missing or wrong (${expected}).`,
    {
      data: { field, expected, task_id, status },
      hint: phrase`docs/reference/states.md lists what each status keeps.`,
    },
  );
}
