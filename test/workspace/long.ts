/**
 * `npm run test:workspace`: the tests of files at full size. 10,000 edits each followed by a watched snapshot, restores and
 * rollbacks killed at every change to the disk, a person who saves between any two calls of a restore, thousands of stories.
 * Arguments go to vitest, such as a part of a file's name.
 */
import { spawnSync } from 'node:child_process';

const FULL = { WATCH_EDITS: '10000', KILL_STEP: '1', SAVE_STEP: '1', STORIES: '2000', RACER_ROUNDS: '20000' };
const given = process.argv.slice(2);
const files = given.length > 0 ? given : ['test/workspace', 'test/engine/files-kill.test.ts'];
const { status } = spawnSync('npx', ['vitest', 'run', '--testTimeout=3600000', ...files], {
  stdio: 'inherit',
  env: { ...process.env, ...FULL },
});
process.exit(status ?? 1);
