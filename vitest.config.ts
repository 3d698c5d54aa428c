import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/built.ts'],
    pool: 'forks',
    // Most of them wait for a disk or another process, most of the time.
    maxWorkers: 2 * availableParallelism(),
    // The processes that tests start read the same sources hundreds of times.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 've-compile-cache') },
    // Against hanging for ever; how long a test takes on a busy machine says nothing.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
