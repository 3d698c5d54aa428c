/** The state of a running task for those who look: not written with every commit, and never far behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Commit } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { appended } from '../support/appended.ts';
import { benches } from './setup.ts';

const bench = benches();

test('steps that follow each other quickly show in the state, also when nothing is committed after them', async () => {
  const task = defineTask('quick, then slow', async (task) => {
    for (let i = 0; i < 5; i++) await task.step('quick', () => i);
    await task.step('slow', () => new Promise(() => {}));
  });
  const engine = await bench().open();
  const { id } = await engine.start(task, undefined);
  const shown = async () => {
    const state = await engine.state(id);
    return state?.status === 'in_progress' ? state.data.iteration_count : null;
  };
  await expect.poll(shown).toBe(5);
});

test('the state is not written more often than anybody looks', async () => {
  const engine = await bench().open();
  const revisions = new Set<number>();
  const began = performance.now();
  const task = defineTask('quick', async (task) => {
    for (let i = 0; i < 20; i++) {
      await task.step('quick', () => i);
      revisions.add((await engine.storage.get('tasks', `${task.id}/state`))!.revision);
    }
  });
  await engine.run(task, undefined);
  // Twice a second, and at the beginning and the end: on a slow machine that may be with each step.
  expect(revisions.size).toBeLessThanOrEqual(2 + (performance.now() - began) / 500);
});

test('a move is not shown before its entry is in the journal, whatever is committed in between', async () => {
  const { dir, open } = bench();
  const store = await openJsonStorage({ root: `${dir}/store` });
  const shown: [entry: string | undefined, state: string | undefined][] = [];
  let last: string | undefined;
  const stepDone = Promise.withResolvers<void>();
  const commit = async (given: Commit) => {
    const entries = appended(given) as { t: string; to?: string }[];
    if (entries.some(({ t }) => t === 'wait')) {
      await stepDone.promise;
      await sleep(600); // The state is due with the next commit, which is that of the step.
    }
    const receipt = await store.commit(given);
    last = entries.findLast(({ t }) => t === 'status')?.to ?? last;
    const state = given.records?.find(({ key }) => key.endsWith('/state'));
    if (state && 'data' in state) shown.push([last, (state.data as { status: string }).status]);
    return receipt;
  };
  const engine = await open({
    storage: { ...store, commit },
    auto_save: false,
    hooks: { beforeCheckpoint: () => sleep(20) },
  });
  const task = defineTask('beside', async (task) => {
    const asked = task.waitFor('human_approval');
    await task.step('beside', () => stepDone.resolve());
    return asked;
  });
  const { id, result } = await engine.start(task, undefined);
  await expect.poll(async () => (await engine.state(id))?.status).toBe('waiting');
  await engine.answer(id, 'yes');
  await expect(result).resolves.toBe('yes');
  await engine.close();
  await store.close();
  expect(shown.length).toBeGreaterThan(3);
  for (const [entry, state] of shown) expect(state).toBe(entry);
});
