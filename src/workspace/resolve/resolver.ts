/** A conflict is shown to one resolver after another until one gives an answer that passes the checks. */
import { problemsIn, type ResolutionProblem } from './check.ts';
import type { ConflictedFile } from './conflicted-file.ts';

export interface Resolver {
  readonly name: string;
  /** It answers at once, and the same whenever it is asked: a preview may ask it, too. */
  readonly foreseeable?: true;
  /** The whole file without conflicts, or null when it has no answer. */
  resolve(file: ConflictedFile, signal: AbortSignal): Promise<Uint8Array | null>;
}

export interface Attempt {
  readonly by: string;
  /** Why its answer was not taken; none when it had no answer. */
  readonly complaints: readonly ResolutionProblem[];
  /** What it threw. */
  readonly error?: unknown;
}

export type Resolved =
  | {
      readonly resolved: true;
      readonly by: string;
      readonly bytes: Uint8Array;
      readonly attempts: readonly Attempt[];
    }
  | { readonly resolved: false; readonly attempts: readonly Attempt[] };

/** A resolver that fails or gives a bad answer is skipped: the next may do better, and the last is a person. */
export async function resolveFile(
  file: ConflictedFile,
  resolvers: readonly Resolver[],
  signal: AbortSignal = new AbortController().signal,
): Promise<Resolved> {
  const attempts: Attempt[] = [];
  for (const { name, resolve } of resolvers) {
    signal.throwIfAborted();
    try {
      const bytes = await resolve(file, signal);
      const complaints = bytes === null ? [] : problemsIn(file, bytes);
      if (bytes !== null && complaints.length === 0) return { resolved: true, by: name, bytes, attempts };
      attempts.push({ by: name, complaints });
    } catch (error) {
      signal.throwIfAborted();
      attempts.push({ by: name, complaints: [], error });
    }
  }
  return { resolved: false, attempts };
}
