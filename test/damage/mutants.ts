/** Bugs that would cost people their work after damage, each seeded into a copy of the sources; the campaign must notice. */
import { type Mutant, missedOf, withBug } from '../crash/mutants.ts';
import { damage } from './campaign.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the journal is read before it is repaired',
    changes: [
      {
        file: 'engine/recovery/mend.ts',
        find: 'const notes = isUnreadable(error) ? await mendTask(storage, task) : [];',
        replace: 'const notes: string[] = [];',
      },
    ],
  },
  {
    name: 'a repair keeps no copy',
    changes: [
      {
        file: 'storage/json/repair.ts',
        find: 'if (bytes) replaceFile(join(aside, name), bytes);',
        replace: 'if (bytes) replaceFile(join(aside, name), new Uint8Array());',
      },
    ],
  },
  {
    name: 'one entry too many is dropped',
    changes: [
      {
        file: 'storage/json/scope.ts',
        find: 'for (const found of scanForward(file, 0, NO_SUM)) {',
        replace:
          'const all = []; try { for (const one of scanForward(file, 0, NO_SUM)) all.push(one); } catch {} for (const found of all.slice(0, -1)) {',
      },
    ],
  },
  {
    name: 'a lost result takes all of the task back',
    changes: [
      {
        file: 'engine/recovery/lost-blobs.ts',
        find: '    }\n    before = { task, seq };\n',
        replace: '    }\n',
      },
    ],
  },
  {
    name: 'files stay as the lost end of a journal left them',
    changes: [
      {
        file: 'engine/recovery/recover.ts',
        find: 'if (lost_end) throw lost_end;',
        replace: '',
      },
    ],
  },
  {
    name: 'going back goes round in circles',
    changes: [
      {
        file: 'engine/lifecycle/past-damage.ts',
        find: 'lost = error;',
        replace: 'for (;;) await new Promise((resolve) => setTimeout(resolve, 1000));',
      },
    ],
  },
];

const ENOUGH = 300;

/** What gave it away; undefined when nothing did. */
export async function catchMutant(mutant: Mutant, seed: number): Promise<string | undefined> {
  return withBug(mutant, async (src) => {
    const { violations } = await damage('json', {
      src,
      seed,
      size: ENOUGH,
      stopAtFirst: true,
      patience_ms: 10_000,
    });
    return violations[0]?.what;
  });
}

/** The names of those that went unnoticed. */
export function catchAll(seed: number, say: (line: string) => void): Promise<string[]> {
  return missedOf(MUTANTS, (mutant) => catchMutant(mutant, seed), say);
}
