/** The arguments every bench takes. */
import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly json: boolean;
  /** Part of the names of the figures to measure; empty for all. */
  readonly only: string;
  /** Undefined: as many as the kind of figure needs. */
  readonly rounds: number | undefined;
}

export class UsageError extends Error {}

const USAGE = "Options: --json, --only <part of a figure's name>, --rounds <n>.";

export function parseOptions(args: readonly string[]): BenchOptions {
  const { json, only, rounds } = parse(args);
  return { json, only, rounds: parseRounds(rounds, USAGE) };
}

export function parseRounds(text: string | undefined, usage: string): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new UsageError(`--rounds needs a whole number from 1, not "${text}". ${usage}`);
  }
  return count;
}

function parse(args: readonly string[]): { json: boolean; only: string; rounds?: string } {
  try {
    return parseArgs({
      args: [...args],
      options: {
        json: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        rounds: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message} ${USAGE}`);
  }
}
