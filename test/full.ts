/**
 * `npm run test:full`: all tests on all stores at full size, with the seeded bugs, then the long campaigns one after the other.
 * Ends with a table of what was run; exits with 1 when anything failed. It takes most of a day.
 *
 *   --only tests,kill,stories    these alone: `tests`, or the end of a script's name
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const SIZES = { VIBE_TEST: 'full', MODEL_RUNS: '500', MOVING_KILLS: '50' };

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const campaigns = Object.keys(scripts).filter((name) => name.startsWith('test:') && name !== 'test:full');
const PARTS: readonly (readonly [name: string, script: string])[] = [
  ['tests', 'test'],
  ...campaigns.map((script) => [script.slice('test:'.length), script] as const),
];

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const wanted = values.only?.split(',') ?? PARTS.map(([name]) => name);
const unknown = wanted.filter((name) => !PARTS.some(([part]) => part === name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}: choose from ${PARTS.map(([name]) => name).join(', ')}.`);
  process.exit(2);
}

const done = PARTS.filter(([name]) => wanted.includes(name)).map(([name, script]) => {
  const began = Date.now();
  console.log(`\n=== ${name}\n`);
  const { status, signal } = spawnSync('npm', ['run', script], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...SIZES },
  });
  return { name, minutes: ((Date.now() - began) / 60_000).toFixed(1), exit: status ?? signal };
});

console.log('');
console.table(done);
const failed = done.filter(({ exit }) => exit !== 0);
console.log(
  failed.length === 0 ? 'Everything passed.' : `Failed: ${failed.map(({ name }) => name).join(', ')}.`,
);
process.exit(failed.length === 0 ? 0 : 1);
