/** Durable steps per second in an encrypted store against a plain one of the same kind, side by side. */
import { randomBytes } from 'node:crypto';
import { startDriven } from '../engine/driven.ts';
import { newSite, openAt, type Site } from '../engine/site.ts';
import { type Comparison, type Figure, ratePerSecond, runDueTimers, type Scratch } from '../harness.ts';
import { NAMES } from '../storage/back-ends.ts';
import { nextText } from '../storage/payloads.ts';

const TYPES = ['json', 'sqlite', 'postgres'] as const;

export function encryptionFigures(scratch: Scratch): Figure[] {
  process.env.VIBE_ENGINE_KEY = randomBytes(32).toString('hex');
  return TYPES.map((type) => ({
    name: `${NAMES[type]}: steps, encrypted / plain`,
    bar: { atLeast: 0.9 },
    how: 'a step that answers 1,024 characters, one after another in a task, with the checkpoint after each; the same with encryption on, relative to without',
    prepare: async () => sealedAgainstPlain(await newSite(scratch, type), await newSite(scratch, type)),
  }));
}

async function sealedAgainstPlain(plain: Site, sealed: Site): Promise<Comparison> {
  await using opened = new AsyncDisposableStack();
  const rateOn = async (site: Site): Promise<() => Promise<number>> => {
    opened.defer(site.remove);
    const engine = await openAt(site);
    opened.defer(engine.close);
    const { task } = await startDriven(engine);
    const step = async (): Promise<void> => {
      await task.step('step', nextText);
    };
    return () => ratePerSecond([step], runDueTimers);
  };
  const floor = await rateOn(plain);
  const subject = await rateOn({ ...sealed, encrypted: true });
  const kept = opened.move();
  return { floor, subject, close: () => kept.disposeAsync() };
}
