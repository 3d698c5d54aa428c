/** Bugs that lose what was answered, each as a small change to a copy of the engine: all must be caught. */
import { type Mutant, missedOf, withBug } from '../../crash/mutants.ts';
import { random } from '../../crash/random.ts';
import { hookKills } from './campaign.ts';

export const HOOK_MUTANTS: readonly Mutant[] = [
  {
    name: 'a call is answered before it is recorded',
    changes: [
      {
        file: 'engine/run/agent/calls.ts',
        find: 'await writeBegin(active, operation,',
        replace: 'void writeBegin(active, operation,',
      },
    ],
  },
  {
    name: 'a result is answered before it is recorded',
    changes: [
      {
        file: 'engine/run/agent/calls.ts',
        find: "await active.writer.write(\n        {\n          t: 'result',",
        // At once it would still be on the disk before the answer is on its way.
        replace: "setImmediate(active.writer.write,\n        {\n          t: 'result',",
      },
    ],
  },
  {
    name: 'a result is forgotten whose files were not looked at',
    changes: [
      {
        file: 'engine/run/agent/unfinished.ts',
        find: 'if (answered) {',
        replace: 'if (answered && Date.now() < 0) {',
      },
    ],
  },
  {
    name: 'a prompt is answered before it is recorded',
    changes: [
      {
        file: 'engine/run/agent/record.ts',
        find: "await message({ type: 'message', role: 'user', content,",
        replace: "void message({ type: 'message', role: 'user', content,",
      },
    ],
  },
];

/** The names of the bugs that went unnoticed. */
export function catchAllInHooks(seed: number, say: (line: string) => void): Promise<string[]> {
  const catchOne = (mutant: Mutant): Promise<string | undefined> => {
    const rng = random(seed, mutant.name);
    return withBug(mutant, async (src) => {
      const { violations } = await hookKills('json', {
        src,
        seed,
        stopAtFirst: true,
        choose: (kills) =>
          kills
            .filter((kill) => kill.startsWith('host') && !kill.endsWith('torn'))
            .map((kill) => ({ kill, order: rng.below(1e9) }))
            .sort((a, b) => a.order - b.order)
            .map(({ kill }) => kill),
      });
      return violations[0]?.what;
    });
  };
  return missedOf(HOOK_MUTANTS, catchOne, say);
}
