/** Directories for one campaign, in memory where possible, removed afterwards. */
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function withScratch<T>(run: (dir: string) => Promise<T>, inMemory = false): Promise<T> {
  const dir = mkdtempSync(join(inMemory ? memoryOr(tmpdir()) : tmpdir(), 'vibe-engine-crash-'));
  try {
    return await run(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

function memoryOr(otherwise: string): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return otherwise;
  }
}
