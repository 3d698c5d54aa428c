/** What a task's journal holds: one shape per kind of entry, parsed once when it is read. */

import * as z from 'zod';
import { CorruptError, InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { DANGERS } from '../api/context.ts';
import { quickCheck } from '../api/quick-check.ts';
import { LAST_END, RUNNER } from '../api/runner.ts';
import { mended } from './lost-files.ts';
import { mark } from './mark.ts';
import { ERROR } from './stored-error.ts';

const time = z.iso.datetime();
const count = z.int().min(0);
/** Who asked for it. */
const who = z.string().optional();
/** `{agent}/{name}#{occurrence}`, inside a step `{step}@{attempt}>…`: the same at every run of the same code. */
const id = z.string().min(1);
/** A value as `checkpoint/values/pack.ts` stores it: itself, or a reference to a blob. */
const packed = z.unknown();
/** The context of a step, if its task gives one. */
const context = packed.optional();
/** The step attempt inside which an entry was made; entries of an attempt that did not finish are no context. */
const within = z.strictObject({ step: id, attempt: count }).optional();

/** Set where the operation is a tool call: with its result it is part of the conversation. */
const toolCall = z
  .strictObject({
    tool: z.string(),
    /** Left out at the end of a call whose begin has it; `joined.ts` puts it back. */
    input: packed.optional(),
    /** How much it adds to the context, output included. */
    bytes: count,
    /** `error`: the tool answered with one, which is a result like any other. `unknown`: its end was not recorded. */
    status: z.enum(['error', 'unknown']).optional(),
    /** The agent's id of the call. */
    call: z.string().optional(),
  })
  .optional();
export type ToolCall = NonNullable<z.infer<typeof toolCall>>;

/** The files before and after an operation, as snapshots of the workspace. */
const span = z
  .strictObject({
    from: z.string(),
    to: z.string(),
    by: z.enum(['step', 'tool', 'shell']),
    /** Two snapshots that differ by what the operation itself changed, if others are known to have changed files, too. */
    own: z.strictObject({ from: z.string(), to: z.string() }).optional(),
    /** The directory they are in: to separate the work of others there. */
    place: z.string().optional(),
  })
  .optional();
export type FileSpan = NonNullable<z.infer<typeof span>>;

/** Snapshots that differ by the file changes of a rollback, redo or take, and the directory. */
const changed = z.strictObject({ from: z.string(), to: z.string(), place: z.string().optional() }).optional();

/** What a begin, a step and a failure say of their operation. */
const operation = {
  id,
  name: z.string(),
  agent: z.string(),
  index: count,
  at: time,
  attempt: count,
  tool: toolCall,
  context,
};

const entry = <Shape extends z.core.$ZodShape>(shape: Shape) => z.strictObject({ ...shape, mark });

const kinds = [
  /** A dangerous operation is about to run: without its end, its outcome is unknown. */
  entry({
    t: z.literal('begin'),
    ...operation,
    danger: z.enum(DANGERS),
    /** The files before it, where there is a workspace. */
    snapshot: z.string().optional(),
    /** It changes no other files than these. */
    paths: z.array(z.string()).optional(),
  }),
  entry({
    t: z.literal('step'),
    ...operation,
    ms: z.number(),
    /** Left out where an entry of its own has it; `joined.ts` puts it back. */
    result: packed.optional(),
    files: span,
    /** The files it read, as snapshots name them: the task needs them. */
    reads: z.array(z.string()).optional(),
  }),
  /** A call has this result. Its step follows when all files were looked at. */
  entry({
    t: z.literal('result'),
    id,
    at: time,
    result: packed,
    /** As in a tool call. */
    status: z.enum(['error', 'unknown']).optional(),
    /** The files then: what changed later is others'. */
    snapshot: z.string().optional(),
  }),
  /** An attempt failed; `final` when no further one was made. */
  entry({
    t: z.literal('failure'),
    ...operation,
    ms: z.number(),
    error: ERROR,
    final: z.boolean(),
    files: span,
  }),
  /** A step whose condition did not hold, or a tool call that was refused. */
  entry({
    t: z.literal('skip'),
    id,
    name: z.string(),
    agent: z.string(),
    index: count,
    at: time,
    /** Why the call was refused. */
    reason: z.string().optional(),
  }),
  entry({
    t: z.literal('message'),
    at: time,
    agent: z.string(),
    role: z.string(),
    content: packed,
    /** How much it adds to the context; left out of texts, which tell themselves. */
    bytes: count.optional(),
    in: within,
    /** The agent's own id of it. */
    ref: z.string().optional(),
  }),
  entry({
    t: z.literal('tool'),
    at: time,
    agent: z.string(),
    tool: z.string(),
    input: packed,
    output: packed,
    status: z.enum(['success', 'error', 'unknown']),
    ms: z.number().optional(),
    bytes: count,
    in: within,
  }),
  entry({
    t: z.literal('decision'),
    at: time,
    agent: z.string(),
    what: z.string(),
    why: z.string().optional(),
    alternatives: z.array(z.string()).optional(),
    bytes: count,
    in: within,
  }),
  entry({
    t: z.literal('wait'),
    id,
    at: time,
    kind: z.enum(['user_input', 'external_api', 'human_approval']),
    prompt: z.string().nullable(),
    timeout_at: time.nullable(),
  }),
  /** How a wait ended; `message` is the inbox message that ended it. `withdrawn`: the task no longer waits. */
  entry({
    t: z.literal('answer'),
    id,
    at: time,
    outcome: z.enum(['answered', 'timed_out', 'withdrawn']),
    value: packed,
    by: z.string().nullable(),
    message: z.string().nullable(),
  }),
  entry({ t: z.literal('sleep'), id, at: time, until: time }),
  /** A sub-agent ended. */
  entry({
    t: z.literal('agent'),
    id,
    name: z.string(),
    at: time,
    ms: z.number(),
    status: z.enum(['success', 'failed']),
    result: packed,
    error: ERROR.optional(),
  }),
  entry({
    t: z.literal('progress'),
    at: time,
    agent: z.string(),
    in: within,
    percent: z.number().min(0).max(100),
    note: z.string().nullable(),
  }),
  entry({
    t: z.literal('set'),
    at: time,
    agent: z.string(),
    in: within,
    name: z.string(),
    value: packed,
  }),
  /** The result of checking the work. */
  entry({ t: z.literal('verified'), at: time, agent: z.string(), in: within, results: packed }),
  entry({
    t: z.literal('status'),
    at: time,
    from: z.string().nullable(),
    to: z.string(),
    reason: z.string().nullable(),
    /** The wait whose time-out the task failed with. */
    wait: id.optional(),
    /** Set where the task begins to run for the first time. */
    by: RUNNER.optional(),
    asked_by: who,
  }),
  /** A run resumed the task: from which checkpoint, and what it found. */
  entry({
    t: z.literal('recovery'),
    at: time,
    checkpoint: z.string().nullable(),
    notes: z.array(z.string()),
    unknown: z.array(z.string()),
    /** The entries that followed here were damaged and are gone. `snapshot`: the earliest known files of that time. */
    mended: mended.optional(),
    by: RUNNER.optional(),
    asked_by: who,
    after: LAST_END.optional(),
  }),
  /** Failed steps run again, and a question whose missing answer failed the task is asked again. */
  entry({ t: z.literal('retry'), at: time }),
  /** Back to entry `to`. `settled`: operations in progress there whose outcome is known from the removed entries. */
  entry({
    t: z.literal('rollback'),
    at: time,
    checkpoint: z.string().nullable(),
    to: count,
    settled: z.array(id),
    /** The files after it, if they were restored. */
    snapshot: z.string().optional(),
    changed,
    /** Set if only files were restored: how they were before it, and the entry they are as after it. */
    files: z.strictObject({ before: z.string(), task: z.string(), seq: count }).optional(),
    by: who,
  }),
  /** The rollback recorded in entry `rollback` was undone. */
  entry({ t: z.literal('redo'), at: time, rollback: count, changed, by: who }),
  /** What another task did to files was done here, too: in `changed`, which counts as this task's own from then on. */
  entry({ t: z.literal('take'), at: time, from: z.string(), changed, by: who }),
  /** What comes before is in the journal of the task this one was forked from. */
  entry({ t: z.literal('fork'), at: time, checkpoint: z.string(), settled: z.array(id), by: who }),
  /** A checkpoint that nothing else was recorded with. */
  entry({ t: z.literal('checkpoint'), at: time }),
] as const;

const schema = z.discriminatedUnion('t', kinds);
const fitsQuickly = quickCheck(schema);

export type Entry = z.infer<typeof schema>;
export type EntryOf<T extends Entry['t']> = Extract<Entry, { t: T }>;

/** An entry as it was read; CORRUPT when it is none of these. */
export function parseEntry(data: unknown, seq: number): Entry {
  if (fitsQuickly(data)) return data as Entry;
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new CorruptError(
    phrase`This version does not know journal entry ${seq}: ${issue.path.join('.')} ${issue.message}.`,
    {
      data: { seq, field: issue.path.join('.') },
      hint: phrase`It was written by another version of vibe-engine, or by another program. Use that version.`,
    },
  );
}

/** USAGE if it is none of these: everything written can be read again. */
export function assertEntry(entry: Entry): void {
  if (fitsQuickly(entry)) return;
  const { error } = schema.safeParse(entry);
  if (!error) return;
  const { path, message } = error.issues[0]!;
  const field = path.join('.');
  throw new InvalidInputError(
    'USAGE',
    phrase`This cannot be recorded as a ${entry.t}: ${field}: ${message}.`,
    {
      data: { kind: entry.t, field },
      hint: phrase`Check the values that the task passes.`,
    },
  );
}
