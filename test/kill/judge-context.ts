/** The conversation: nothing lost, nothing twice, and of a step that was cut off only what its last attempt said. */
import { isDeepStrictEqual } from 'node:util';
import type { CheckpointContext } from '../../src/checkpoint/record/record.ts';
import type { Kept } from './judge.ts';
import { beginsOf } from './judge-steps.ts';
import { DECISIONS, MESSAGES, TOOLS } from './task.ts';
import type { Line } from './witness.ts';

export function* judgeContext(
  { messages, decisions, tool_outputs }: CheckpointContext,
  journal: readonly Kept[],
  lines: readonly Line[],
): Generator<string> {
  const said = messages.map(({ agent, content }) => ({ agent, text: String(content) }));
  const decided = decisions.map(({ agent, what }) => ({ agent, text: what }));
  const called = tool_outputs.map(({ agent, status, tool }) => ({ agent, text: `${status} ${tool}` }));
  yield* compare('messages', said, withRuns(MESSAGES, journal));
  yield* compare('decisions', decided, withRuns(DECISIONS, journal));
  yield* compare('tool outputs', called, withUnknown(lines));
}

type ByAgent = Readonly<Record<string, readonly string[]>>;

/** Agents work side by side: the order counts within each. */
function* compare(
  what: string,
  found: readonly { agent: string | undefined; text: string }[],
  wanted: ByAgent,
): Generator<string> {
  const groups = Object.groupBy(found, ({ agent = '' }) => agent) as Record<string, typeof found>;
  const byAgent = mapValues(groups, (group) => group.map(({ text }) => text));
  if (!isDeepStrictEqual(byAgent, { ...wanted }))
    yield `${what}: ${JSON.stringify(byAgent)} instead of ${JSON.stringify(wanted)}`;
}

/** `run #{step}` becomes the run that the step is recorded of. */
function withRuns(texts: ByAgent, journal: readonly Kept[]): ByAgent {
  const runOf = (step: string): string =>
    String(journal.find(({ entry }) => entry.t === 'step' && entry.id === step)?.run);
  return mapValues(texts, (list) => list.map((text) => text.replace(/#(\/.*)$/, (_, step) => runOf(step))));
}

function withUnknown(lines: readonly Line[]): ByAgent {
  const wasUnknown = (beginsOf(lines, '/tool:shell#1', 1).at(-1)?.unknown ?? null) !== null;
  return mapValues(TOOLS, (list) =>
    list.flatMap((text) => (wasUnknown && text === 'success shell' ? ['unknown shell', text] : [text])),
  );
}

function mapValues<T, U>(from: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value)]));
}
