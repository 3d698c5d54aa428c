/** Reads mutated inputs, each target in turn by its weight. An input is known by seed, target and number: it can be read again alone. */
import { random } from '../crash/random.ts';
import { Notes, type Report } from '../crash/report.ts';
import { judge, memoryViolation } from './judge.ts';
import { mutated } from './mutate.ts';
import type { Target } from './target.ts';

export interface FuzzOptions {
  readonly targets: readonly Target[];
  readonly seed: number;
  /** How many inputs in all. */
  readonly size: number;
  /** The number of the first one, where several processes share the work. */
  readonly first?: number;
  readonly progress?: (line: string) => void;
  /** Told before each input is read: what hangs can say nothing afterwards. */
  readonly reading?: (target: string, number: number) => void;
}

export async function fuzz({ targets, size, seed, first = 0, ...told }: FuzzOptions): Promise<Report[]> {
  const shares = targets.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const reports: Report[] = [];
  for (const target of targets) {
    const notes = new Notes(target.name, {
      src: '',
      seed,
      size,
      ...(told.progress && { progress: told.progress }),
    });
    const inputs = Math.ceil((size * (target.weight ?? 1)) / shares);
    const rejected = (error: unknown): void =>
      notes.violation(`a rejection nobody handles: ${error}`, 'while it ran');
    process.on('unhandledRejection', rejected);
    for (let number = first; number < first + inputs && !notes.over; number++) {
      told.reading?.(target.name, number);
      const { accepted, violation } = await judge(target, inputFor(target, seed, number));
      notes.count(accepted ? 'taken' : 'refused');
      const found = violation ?? (number % 100 === 99 ? memoryViolation() : null);
      if (found) notes.violation(found, `number=${number}`);
    }
    await new Promise((done) => setImmediate(done)); // what was left to reject has done so
    process.off('unhandledRejection', rejected);
    reports.push(notes.report);
  }
  return reports;
}

export function inputFor(target: Target, seed: number, number: number): Buffer {
  const draws = random(seed, target.name, number);
  const bytes = mutated(target.seeds, draws);
  return target.sealed && !draws.oneIn(4) ? sealed(target.sealed, bytes) : bytes;
}

/** What cannot be sealed any more stays as it is. */
function sealed(seal: (bytes: Buffer) => Buffer, bytes: Buffer): Buffer {
  try {
    return seal(bytes);
  } catch {
    return bytes;
  }
}
