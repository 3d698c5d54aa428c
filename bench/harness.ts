/**
 * The harness under every bench: figures with a bar each, measured over several rounds, shown as a table or as JSON.
 *
 * A *comparison* sets a subject against a floor. Both run in every round of the same process, in short turns (the
 * order changes each time), and only their ratio within a round counts: what else the machine does hits both alike.
 * A *measurement* is a number by itself, such as milliseconds.
 */
import { loadNow, machineFacts } from './harness/machine.ts';
import { exitAfter } from './harness/main.ts';
import { parseOptions, UsageError } from './harness/options.ts';
import { asTable, type Report } from './harness/report.ts';
import { type FigureResult, measureFigure } from './harness/rounds.ts';
import type { Scratch } from './harness/scratch.ts';

export { ratePerSecond, runDueTimers, type Worker } from './harness/rate.ts';
export type { Scratch } from './harness/scratch.ts';

export interface Figure {
  readonly name: string;
  readonly bar: Bar;
  /** What is measured, precisely enough to be repeated. */
  readonly how: string;
  /** Called only when the figure is asked for; the work it does is not measured. */
  prepare(): Promise<Comparison | Measurement>;
}

export type Bar =
  | { readonly atLeast: number; readonly unit?: string }
  | { readonly atMost: number; readonly unit?: string };

/** Each side runs for one turn and answers its rate, or both the time they take; the figure is subject / floor. */
export interface Comparison {
  floor(): Promise<number>;
  subject(): Promise<number>;
  close(): Promise<void>;
}

export interface Measurement {
  /** One round's value, in the bar's unit. */
  measure(): Promise<number>;
  close(): Promise<void>;
}

export interface Bench {
  readonly name: string;
  readonly figures: readonly Figure[];
  /** The disk that is measured. */
  readonly directory: string;
  /** Where the report goes, and the progress lines. */
  readonly print?: (text: string) => void;
  readonly tell?: (text: string) => void;
}

/** The whole of a bench's process: what `figuresIn` gives is measured in a directory that goes with it. */
export function benchMain(
  name: string,
  figuresIn: (scratch: Scratch) => Figure[],
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  return exitAfter((scratch) =>
    runBench({ name, figures: figuresIn(scratch), directory: scratch.directory }, args),
  );
}

/** Runs the figures that `args` ask for and answers the exit status: 1 when one misses its bar, 2 for wrong arguments. */
export async function runBench(bench: Bench, args: readonly string[]): Promise<number> {
  const print = bench.print ?? ((text) => console.log(text));
  const tell = bench.tell ?? ((text) => console.error(text));
  try {
    const { json, only, rounds } = parseOptions(args);
    const chosen = bench.figures.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
    if (chosen.length === 0) throw new UsageError(`No figure has "${only}" in its name.`);
    const machine = machineFacts(bench.directory); // Before our own work is part of the load.
    const figures: FigureResult[] = [];
    for (const figure of chosen) {
      tell(`measuring ${figure.name}`);
      figures.push(await measureFigure(figure, rounds));
    }
    const passed = figures.every(({ verdict }) => verdict === 'pass');
    const report: Report = {
      bench: bench.name,
      date: new Date().toISOString(),
      machine,
      load_at_end: loadNow(),
      passed,
      figures,
    };
    print(json ? JSON.stringify(report, null, 2) : asTable(report));
    return passed ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    tell(error.message);
    return 2;
  }
}
