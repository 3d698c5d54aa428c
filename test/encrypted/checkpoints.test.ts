/** Checkpoints of a sealed task stand where its journal says: they are found again, gone back to and forked from. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { examineStore } from '../../src/engine/doctor/examine.ts';
import { untilStatus } from '../engine/letters.ts';
import { onEveryStore } from '../engine/stores.ts';

beforeEach(() => void vi.stubEnv('VIBE_ENGINE_KEY', 'c0ffee'.padEnd(64, '0')));
afterEach(() => void vi.unstubAllEnvs());

const counter = defineTask(
  'counter',
  async (task) => {
    let sum = 0;
    for (let n = 1; n <= 5; n++) sum += await task.step('add', () => n);
    return sum + (await task.waitFor<number>('user_input'));
  },
  { version: '1' },
);

onEveryStore((fresh) => {
  test('a sealed task is resumed at its newest checkpoint, rewound and forked', async () => {
    const store = await fresh();
    const open = () => store.open({ tasks: [counter], config: { encryption: { enabled: true } } });
    const first = await open();
    const { id, outcome } = await first.start(counter, undefined);
    await untilStatus(first, id, 'waiting');
    await first.pause(id);
    await outcome;
    await first.close();
    const engine = await open();
    const recovered: { checkpoint: string | null; notes: readonly string[] }[] = [];
    engine.on('recovery', (event) => recovered.push(event));
    const records = await engine.checkpoints.listCheckpoints(id);
    const { id: fork } = await engine.fork(records[3]!.id);
    for (const task of [id, fork]) {
      const { result } = await engine.resume(task);
      await untilStatus(engine, task, 'waiting');
      await engine.answer(task, 10);
      expect(await result).toBe(25);
    }
    expect(recovered).toMatchObject([{ checkpoint: records.at(-1)!.id, notes: [] }, { notes: [] }]);
    for await (const finding of examineStore(engine)) expect(finding).toBeNull();
  });
});
