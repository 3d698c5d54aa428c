/** Bugs of the kind that lose or double work, each as a small change to a copy of the engine: all must be caught. */
import { type Mutant, missedOf, withBug } from '../crash/mutants.ts';
import { random } from '../crash/random.ts';
import { matrix } from './campaigns.ts';
import type { Point } from './trap.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a step goes on before it is recorded',
    changes: [
      {
        file: 'engine/run/steps.ts',
        find: 'await writeStep(active, operation, danger, step,',
        replace: 'void writeStep(active, operation, danger, step,',
      },
    ],
  },
  {
    name: 'failed attempts are forgotten',
    changes: [
      {
        file: 'engine/run/steps.ts',
        find: 'let attempt = (active.memory.attempts.get(id) ?? 0) + 1;',
        replace: 'let attempt = 1;',
      },
    ],
  },
  {
    name: 'a dangerous operation runs before its beginning is recorded',
    changes: [
      {
        file: 'engine/run/steps.ts',
        find: 'await writeBegin(active, operation, begin, before.blobs);',
        replace: 'void writeBegin(active, operation, begin, before.blobs);',
      },
    ],
  },
  {
    name: 'an operation that was cut off is not told',
    changes: [
      {
        file: 'engine/run/steps.ts',
        find: 'const unknown = cutOff ? await active.settle(cutOff, snapshot) : null;',
        replace: 'const unknown = (await (cutOff ? null : null)) as null;',
      },
    ],
  },
  {
    name: 'what was said is said again',
    changes: [
      {
        file: 'engine/run/run.ts',
        find: 'recorded: new Map(memory.counts),',
        replace: 'recorded: new Map(),',
      },
    ],
  },
  {
    name: 'what a step said before it was cut off stays',
    changes: [{ file: 'engine/task/conversation.ts', find: 'pending.clear();', replace: '' }],
  },
  {
    name: 'a recovery leaves no trace',
    changes: [
      {
        file: 'engine/recovery/recover.ts',
        find: 'append: { after: end, entries: [recovery] },',
        replace: '',
      },
    ],
  },
  {
    name: 'indexes are given out again',
    changes: [
      {
        file: 'engine/task/occurrences.ts',
        find: 'let steps = Math.max(stepIndex, ...[...tried.values()].map((index) => index + 1));',
        replace: 'let steps = 0 * stepIndex * tried.size;',
      },
    ],
  },
  {
    name: 'a wait is asked again',
    changes: [
      {
        file: 'engine/run/operations.ts',
        find: 'const known = active.memory.waits.get(asked.id);',
        replace: "const known = undefined as EntryOf<'wait'> | undefined;",
      },
    ],
  },
  {
    name: 'a remembered agent is run again',
    changes: [
      {
        file: 'engine/run/sub-agents.ts',
        find: 'const known = recall(active.memory.agents, id);',
        replace: "const known = recall(active.memory.agents, id + '?');",
      },
    ],
  },
];

/** What was said of it when it was caught; undefined when it was not. */
export async function catchMutant(mutant: Mutant, seed: number): Promise<string | undefined> {
  const rng = random(seed, mutant.name);
  /** Which points show a bug nobody knows beforehand: they come in any order. */
  const choose = (points: readonly Point[]): Point[] =>
    points
      .filter((point) => !point.startsWith('io'))
      .map((point) => ({ point, order: rng.below(1e9) }))
      .sort((a, b) => a.order - b.order)
      .map(({ point }) => point);
  return withBug(mutant, async (src) => {
    const { violations } = await matrix('json', { src, seed, choose, stopAtFirst: true });
    return violations[0]?.what;
  });
}

/** The names of the bugs that went unnoticed. */
export function catchAll(seed: number, say: (line: string) => void): Promise<string[]> {
  return missedOf(MUTANTS, (mutant) => catchMutant(mutant, seed), say);
}
