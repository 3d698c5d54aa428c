/** What no input may bring about: an error without a code, a second of work, a changed language, memory without end. */
import { VibeError } from '../../src/errors.ts';
import { TAINT } from './pieces.ts';
import type { Target } from './target.ts';

const MOST_MS = 1_000;
const MOST_MORE_MB = 1_024;
const BASES: readonly object[] = [Object, Array, Function, String, Map, Set, Promise, Error].map(
  (one) => one.prototype as object,
);
const ownKeys = (): number => BASES.reduce((sum, base) => sum + Reflect.ownKeys(base).length, 0);
const keysAtFirst = ownKeys();
let peak = peakMb();

export interface Verdict {
  readonly accepted: boolean;
  /** What was promised and did not hold. */
  readonly violation: string | null;
}

export async function judge(target: Target, bytes: Buffer): Promise<Verdict> {
  const began = process.threadCpuUsage();
  let violation: string | null = null;
  let accepted = false;
  try {
    const value = await target.read(bytes);
    accepted = true;
    if (isTainted(value)) violation = 'something read inherits what a "__proto__" said';
  } catch (error) {
    if (!(error instanceof VibeError)) violation = `threw ${describe(error)}`;
  }
  const { user, system } = process.threadCpuUsage(began);
  const ms = (user + system) / 1_000;
  if (ms > MOST_MS) violation ??= `took ${Math.round(ms)} ms of processor time`;
  if (ownKeys() !== keysAtFirst) violation ??= 'a prototype of the language was changed';
  return { accepted, violation };
}

/** Asked now and then: the system keeps the peak. */
export function memoryViolation(): string | null {
  const more = peakMb() - peak;
  if (more <= MOST_MORE_MB) return null;
  peak += more;
  return `memory grew by ${Math.round(more)} MB within the last hundred inputs`;
}

function peakMb(): number {
  return process.resourceUsage().maxRSS / 1_024;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const where = error.stack?.split('\n').find((line) => line.includes('/src/'));
  return `${error.name}: ${error.message.slice(0, 200)} ${where?.trim() ?? ''}`;
}

const MOST_LOOKED_AT = 300;

function isTainted(value: unknown): boolean {
  const waiting: unknown[] = [value];
  for (let looked = 0; waiting.length > 0 && looked < MOST_LOOKED_AT; looked++) {
    const one = waiting.pop();
    if (typeof one !== 'object' || one === null || ArrayBuffer.isView(one)) continue;
    if (TAINT in one && !Object.hasOwn(one, TAINT)) return true;
    for (const key of Object.keys(one).slice(0, 50)) waiting.push((one as Record<string, unknown>)[key]);
  }
  return false;
}
