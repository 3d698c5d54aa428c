import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Most of them wait for a disk or another process, most of the time.
    maxWorkers: 2 * availableParallelism(),
    // Against hanging for ever; how long a test takes on a busy machine says nothing.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
