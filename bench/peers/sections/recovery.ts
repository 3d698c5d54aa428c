/** A process is killed in the middle of a step: how soon the next one does something new, and what was lost or done twice. */
import { readFileSync } from 'node:fs';
import type { Row, Table } from '../results.ts';
import { type Side, takeRounds } from '../rounds.ts';
import { type Opened, openAll, type Site, workerOf } from './site.ts';

export async function recoveryTable(site: Site): Promise<Table[]> {
  const { opened, left } = await openAll(site, 'recover');
  site.tell('recovery after kill -9');
  try {
    const sides = opened.map((each) => recovering(each, site));
    const rows: Row[] = await takeRounds(sides, site.sizes.fewRounds);
    return [{ id: 'recovery', rows: [...rows, ...left] }];
  } finally {
    for (const { place } of opened) await place.remove();
  }
}

function recovering(each: Opened, { scratch, sizes: { stepsToRecover: steps } }: Site): Side {
  const { name, peer, taken_over } = each.contender;
  const killedAt = steps >> 1;
  const outcomes: Outcome[] = [];
  return {
    name,
    ours: peer === null,
    async measure() {
      const log = scratch.fresh('steps.log');
      await killed(each, log, steps, killedAt);
      const took = await recovered(each, log, steps);
      outcomes.push(judge(readFileSync(log, 'utf8'), steps, killedAt));
      return took;
    },
    note: () => [describe(outcomes), ...(taken_over === undefined ? [] : [taken_over])].join('; '),
  };
}

async function killed(each: Opened, log: string, steps: number, killedAt: number): Promise<void> {
  const worker = workerOf(each);
  const ended = await worker.call('runAndDie', log, steps, killedAt).then(
    () => 'done',
    (error: Error) => error.message,
  );
  const ran = lines(readSafely(log));
  if (ran.at(-1) !== killedAt) throw new Error(`It was not killed in step ${killedAt}: ${ended}`);
  await worker.close();
}

/** Milliseconds from before the new process is started until its first step runs. */
async function recovered(each: Opened, log: string, steps: number): Promise<number> {
  const start = performance.now();
  const worker = workerOf(each);
  let first: number | undefined;
  worker.onTold(() => {
    first ??= performance.now();
  });
  try {
    await worker.call('recover', log, steps);
  } finally {
    await worker.close();
  }
  if (first === undefined) throw new Error('No step ran after the recovery.');
  return first - start;
}

interface Outcome {
  /** Steps that had ended, as the next one had begun, and ran again. */
  readonly repeated: number;
  /** Steps that never ran. */
  readonly missing: number;
  /** Whether the step that was in flight ran again, as it must where its result was never seen. */
  readonly inFlight: boolean;
}

export function judge(log: string, steps: number, killedAt: number): Outcome {
  const times = new Map<number, number>();
  for (const n of lines(log)) times.set(n, (times.get(n) ?? 0) + 1);
  const all = Array.from({ length: steps }, (_, n) => times.get(n) ?? 0);
  return {
    repeated: all.filter((count, n) => count > 1 && n !== killedAt).length,
    missing: all.filter((count) => count === 0).length,
    inFlight: all[killedAt]! > 1,
  };
}

function describe(outcomes: readonly Outcome[]): string {
  const most = (key: 'repeated' | 'missing') => Math.max(...outcomes.map((each) => each[key]));
  const parts = [
    most('missing') > 0 ? `up to ${most('missing')} steps never ran` : 'no step lost',
    most('repeated') > 0
      ? `up to ${most('repeated')} finished steps ran again`
      : 'no finished step ran again',
    ...(outcomes.some(({ inFlight }) => !inFlight) ? ['the step in flight did not run again'] : []),
  ];
  return parts.join(', ');
}

function lines(text: string): number[] {
  return text.split('\n').slice(0, -1).map(Number);
}

function readSafely(log: string): string {
  try {
    return readFileSync(log, 'utf8');
  } catch {
    return ''; // Nothing ran.
  }
}
