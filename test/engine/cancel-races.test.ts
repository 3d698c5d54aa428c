/** A request to cancel that comes in the moment in which a run ends is not lost. */
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { newMessage, send } from '../../src/engine/task/records/inbox.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { reach } from './setup.ts';
import { onEachStore } from './stores.ts';

const asks = defineTask('asks', (task) => task.waitFor('user_input'));

onEachStore((fresh) => {
  test('the owner, letting go of the task, finds it', async () => {
    const store = await fresh();
    const { storage } = await store.open();
    const late: Storage = {
      ...storage,
      claim: async (task) => {
        const claim = await storage.claim(task);
        const release = async (): Promise<void> => {
          const cancel = newMessage({ kind: 'cancel', reason: 'too late to be seen' }, new Date());
          await send(storage, task, cancel);
          await claim.release();
        };
        return { ...claim, release };
      },
    };
    const engine = await openEngine({ project_dir: store.dir, storage: late, automatic_cleanup: false });
    const { id, outcome } = await engine.start(asks, undefined);
    await reach(engine, id, 'waiting');
    await engine.pause(id);
    expect((await outcome).status).toBe('paused');
    await reach(engine, id, 'cancelled');
    await engine.close();
  });

  test('the caller, seeing that the owner is gone, does it', async () => {
    const store = await fresh();
    const engine = await store.open();
    const { id, outcome } = await engine.start(asks, undefined);
    await reach(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    let looked = 0;
    const stale: Storage = {
      ...engine.storage,
      owner: async (task) =>
        looked++ === 0 ? { fence: 1, holder: 'who just ended', since: '' } : engine.storage.owner(task),
    };
    const other = await openEngine({ project_dir: store.dir, storage: stale, automatic_cleanup: false });
    await other.cancel(id, 'not wanted');
    expect((await engine.state(id))?.data).toMatchObject({ cancel_reason: 'not wanted' });
    expect(await engine.storage.list('inbox')).toEqual([]);
    await other.close();
  });

  test('the caller, finding that someone has claimed the task meanwhile, leaves a message', async () => {
    const store = await fresh();
    const here = await store.open({ tasks: [asks] });
    const there = await store.open({ tasks: [asks] });
    const { id, outcome } = await here.start(asks, undefined);
    await reach(here, id, 'waiting');
    let looked = 0;
    const stale: Storage = {
      ...there.storage,
      owner: async (task) => (looked++ === 0 ? null : there.storage.owner(task)),
    };
    const other = await openEngine({ project_dir: store.dir, storage: stale, automatic_cleanup: false });
    await other.cancel(id, 'not wanted');
    expect(await outcome).toEqual({ status: 'cancelled', reason: 'not wanted' });
    await other.close();
  });
});
