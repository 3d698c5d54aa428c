/** Which of our files have a function that runs during a call, and which syncs of files it waits for. */
import { lstatSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { setIoHook } from '../../src/system/io.ts';

export interface Counts {
  readonly files: readonly string[];
  /** The path of each sync. */
  readonly syncs: readonly string[];
  /** Those of files: the directory that has its name is synced with it, and twice in a row is once. */
  readonly writes: readonly string[];
}

export type Count = <T>(call: () => Promise<T>) => Promise<Counts & { readonly result: T }>;

export async function counting(src: string, hook: typeof setIoHook): Promise<Count> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  /** Those since it was last asked. */
  const called = async (): Promise<string[]> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(src))
      .filter(({ functions }) => functions.some(isCalled))
      .map(({ url }) => relative(src, fileURLToPath(url)))
      .sort();
  };
  return async (call) => {
    const syncs: string[] = [];
    const writes: string[] = [];
    await called();
    hook(({ op, path }) => {
      if (op !== 'fsync' && op !== 'fdatasync') return undefined;
      if (syncs.at(-1) !== path && !lstatSync(path).isDirectory()) writes.push(path);
      syncs.push(path);
      return undefined;
    });
    const result = await call();
    hook(undefined);
    return { result, files: await called(), syncs, writes };
  };
}

/** The code of a module itself begins where the file does: to be loaded is not to take part. */
function isCalled({ ranges }: { ranges: { startOffset: number; count: number }[] }): boolean {
  return ranges[0]!.startOffset > 0 && ranges[0]!.count > 0;
}
