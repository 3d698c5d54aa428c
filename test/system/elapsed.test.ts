/** The time of leases: it runs while a machine sleeps, and does not follow a clock that is set. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const clocks = { monotonic: 1000, wall: 1_800_000_000_000, uptime: 5000, asked: 0 };

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => {
    clocks.asked++;
    return clocks.uptime / 1000;
  },
}));

beforeEach(() => {
  vi.resetModules();
  vi.spyOn(performance, 'now').mockImplementation(() => clocks.monotonic);
  vi.spyOn(Date, 'now').mockImplementation(() => clocks.wall);
});
afterEach(() => void vi.restoreAllMocks());

/** All clocks run. */
function run(ms: number): void {
  clocks.monotonic += ms;
  clocks.wall += ms;
  clocks.uptime += ms;
}

function sleep(ms: number): void {
  clocks.wall += ms;
  clocks.uptime += ms;
}

async function fresh(): Promise<() => number> {
  const { elapsed } = await import('../../src/system/elapsed.ts');
  const start = elapsed();
  return () => elapsed() - start;
}

test('it runs with the clock, without asking the system', async () => {
  const since = await fresh();
  const { asked } = clocks;
  run(30_000);
  expect(since()).toBe(30_000);
  run(5);
  expect(since()).toBe(30_005);
  expect(clocks.asked).toBe(asked);
});

test.each([3, 19, 21, 60_000])('a sleep of %i ms counts', async (ms) => {
  const since = await fresh();
  run(100);
  sleep(ms);
  expect(since()).toBe(100 + ms);
  run(100);
  sleep(ms);
  expect(since()).toBe(200 + 2 * ms);
});

test('a clock that is set forward or back is no sleep', async () => {
  const since = await fresh();
  run(100);
  clocks.wall += 3_600_000;
  expect(since()).toBe(100);
  clocks.wall -= 7_200_000;
  run(50);
  expect(since()).toBe(150);
  sleep(1000);
  expect(since()).toBe(1150);
});
