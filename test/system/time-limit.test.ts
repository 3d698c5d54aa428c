/** Limits that do not count the time in which a process is stopped. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src/system/time-limit.ts', import.meta.url));

/** Says how often a timer of a twentieth of the time has gone off by then. */
const PROGRAM = `
import { afterRunning } from ${JSON.stringify(SOURCE)};
let ticks = 0;
setInterval(() => { ticks += 1 }, 50);
afterRunning(1000, () => { console.log(ticks); process.exit() });
afterRunning(500, () => console.log('never'))();
console.log('begun');
`;

test('no time goes by while the process is stopped', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('begun');
  child.kill('SIGSTOP');
  await sleep(1_500);
  child.kill('SIGCONT');
  expect(Number((await lines.next()).value)).toBeGreaterThanOrEqual(19);
});
