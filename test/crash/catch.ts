/** Runs the campaigns on every seeded bug until one of them notices. */
import { CAMPAIGNS } from './campaigns.ts';
import { MUTANTS, type Mutant, withBug } from './mutants.ts';
import { runCampaign } from './run.ts';

export interface Caught {
  readonly campaign: string;
  readonly what: string;
}

/** A bug that shows in few of the calls is looked for again in this many times as many. */
const SIZES = [1, 10];

/** Which campaign noticed the bug, and what it said; undefined when none did. */
export async function catchMutant(
  mutant: Mutant,
  seed: number,
  signal?: AbortSignal,
): Promise<Caught | undefined> {
  return withBug(mutant, async (src) => {
    for (const times of SIZES) {
      for (const { name, short } of CAMPAIGNS) {
        const options = { campaign: name, src, seed, size: short * times, stopAtFirst: true };
        const { violations } = await runCampaign(options, undefined, signal);
        if (violations[0]) return { campaign: name, what: violations[0].what };
      }
    }
    return undefined;
  });
}

/** The names of the bugs that went unnoticed; one that could not be planted or run is among them. */
export async function catchAll(seed: number, say: (line: string) => void): Promise<string[]> {
  const missed = await Promise.all(
    MUTANTS.map(async (mutant) => {
      try {
        const caught = await catchMutant(mutant, seed);
        say(
          `"${mutant.name}" ${caught ? `caught by ${caught.campaign}: ${caught.what.slice(0, 160)}` : 'missed'}`,
        );
        return caught ? [] : [mutant.name];
      } catch (error) {
        say(`"${mutant.name}" missed: ${(error as Error).message}`);
        return [mutant.name];
      }
    }),
  );
  return missed.flat();
}
