import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { fromBundle, HOOK } from './test/support/bundled.ts';
import { FULL } from './test/support/full.ts';

/** They take five seconds of a processor and more: begun late, one would run alone at the end. */
const LONG = [
  /\/(?:agents|clients|contract|crash|damage|drift|kill|moving)\//,
  /\/(?:examples|pack|hostile\/short|encrypted\/leaks|dashboard\/secrets|attacks\/escapes)\.test/,
  /\/cli\/(?:demo|drift-doing|exec|going-on|languages|moving|undo|working)\.test/,
  /\/engine\/(?:cleanup-files|commit|drift[-\w]*|files-kill|lifecycle)\.test/,
  /\/examples\/tasks\.test/,
];
/** What drives a browser leaves a process twice as large, and so every process that it starts afterwards takes twice as long. */
const LARGE = /\/dashboard\/browser\//;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turn = ({ moduleId }: TestSpecification): number =>
      LARGE.test(moduleId) ? 2 : LONG.some((one) => one.test(moduleId)) ? 0 : 1;
    const turns = [0, 1, 2].map((number) => super.sort(files.filter((file) => turn(file) === number)));
    return (await Promise.all(turns)).flat();
  }
}

/** Not when watching, since it is made once, and not in `npm run test:full`, which runs the sources themselves. */
const bundled = process.argv.includes('run') && !FULL;

export default defineConfig({
  plugins: bundled ? [fromBundle] : [],
  // What the command line gives the tasks that it loads, also where a test calls it in its own process.
  resolve: { alias: [{ find: /^vibe-engine$/, replacement: join(import.meta.dirname, 'src', 'index.ts') }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['memory', 'built', 'bundled', 'one-server'].map((name) => `test/support/${name}.ts`),
    pool: 'forks',
    // Loading the engine again for each file took a quarter of the time.
    isolate: false,
    // Tests leave much garbage, and none of it grows old.
    execArgv: ['--max-semi-space-size=32', ...(bundled ? [`--import=${HOOK}`] : [])],
    setupFiles: ['test/support/shared-process.ts'],
    // Most of them wait for a disk or another process, most of the time.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongFirst },
    // The processes that tests start read the same sources hundreds of times.
    env: {
      NODE_COMPILE_CACHE: join(tmpdir(), 've-compile-cache'),
      VIBE_ENGINE_STATE_DIR: join(tmpdir(), 've-state'),
    },
    // Against hanging for ever; how long a test takes on a busy machine says nothing.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
  },
});
