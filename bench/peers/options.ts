/** What `npm run bench:peers` takes, and how much it does. */
import { parseArgs } from 'node:util';
import { parseRounds, UsageError } from '../harness/options.ts';
import { PEER_NAMES, type PeerName } from './versions.ts';

export interface Options {
  readonly peers: readonly PeerName[];
  readonly sections: readonly SectionName[];
  readonly sizes: Sizes;
  /** Print the numbers instead of the page. */
  readonly json: boolean;
  /** Real merges to measure with, as in `bench:workspace`. */
  readonly corpus: string | undefined;
  /** Whether all of it is measured at full size, so that the page may be written. */
  readonly whole: boolean;
}

export const SECTION_NAMES = ['steps', 'growth', 'recovery', 'snapshots', 'merges'] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

export interface Sizes {
  /** Rounds that count; one before them does not. */
  readonly rounds: number;
  /** Rounds of what starts processes or takes seconds. */
  readonly fewRounds: number;
  readonly stepsOfOne: number;
  /** Of each, with 16 tasks at once. */
  readonly stepsOfMany: number;
  readonly turns: number;
  readonly stepsToRecover: number;
  readonly files: number;
  readonly mergedLines: number;
  /** Of a corpus, at most. */
  readonly realMerges: number;
}

/** Of a run whose figures are published. */
export const FULL: Sizes = {
  rounds: 11,
  fewRounds: 7,
  stepsOfOne: 100,
  stepsOfMany: 40,
  turns: 1000,
  stepsToRecover: 200,
  files: 50_000,
  mergedLines: 6000,
  realMerges: 1000,
};

const QUICK: Sizes = {
  rounds: 2,
  fewRounds: 1,
  stepsOfOne: 20,
  stepsOfMany: 5,
  turns: 20,
  stepsToRecover: 20,
  files: 200,
  mergedLines: 200,
  realMerges: 20,
};

const USAGE = `Options: --quick, --rounds <n>, --json, --only <${PEER_NAMES.join('|')}>, --section <${SECTION_NAMES.join('|')}>, --corpus <directory>. --only and --section may be given more than once.`;

export function parseOptions(args: readonly string[]): Options {
  const { quick, json, only, section, corpus, rounds } = parse(args);
  const peers = chosen(PEER_NAMES, only);
  const sections = chosen(SECTION_NAMES, section);
  const asked = parseRounds(rounds, USAGE);
  const whole = !quick && asked === undefined && only.length === 0 && section.length === 0;
  const usual = quick ? QUICK : FULL;
  const sizes = asked === undefined ? usual : { ...usual, rounds: asked, fewRounds: asked };
  return { peers, sections, sizes, json, corpus, whole };
}

/** Those that are named, or all. */
function chosen<Name extends string>(all: readonly Name[], named: readonly string[]): readonly Name[] {
  const unknown = named.find((name) => !(all as readonly string[]).includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no "${unknown}". ${USAGE}`);
  return named.length === 0 ? all : all.filter((name) => named.includes(name));
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        json: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        section: { type: 'string', multiple: true, default: [] },
        corpus: { type: 'string' },
      },
    });
    return { ...values, corpus: values.corpus, rounds: values.rounds };
  } catch (error) {
    throw new UsageError(`${(error as Error).message} ${USAGE}`);
  }
}
