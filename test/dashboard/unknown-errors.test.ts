/** A store that cannot be read for a while is waited for; what the server does not know is a bug of ours, and is thrown. */
import { afterEach, describe, expect, test } from 'vitest';
import { createCalls } from '../../src/dashboard/calls.ts';
import { watchTask, watchTasks } from '../../src/dashboard/watch.ts';
import type { BackendFactory } from '../../src/storage/contract.ts';
import { createStorageFromConfig, registerStorage } from '../../src/storage/opening/factory.ts';
import { configure } from '../cli/world.ts';
import { tempDirs } from '../support/temp.ts';
import { serveOn } from './open.ts';

const tempDir = tempDirs();
let unregister = (): void => {};
afterEach(() => unregister());

const bug = (): never => {
  throw new TypeError('a bug');
};

const { quiet } = createCalls();

describe.each([
  ['all tasks', (served, signal) => watchTasks(served, { onChanges: bug, onAll: bug }, signal)],
  ['one task', (served, signal) => watchTask(served, 'task', bug, signal)],
] satisfies [string, (served: Parameters<typeof watchTasks>[0], signal: AbortSignal) => Promise<void>][])(
  'the watch of %s',
  (_, watch) => {
    test('throws what it does not know', async () => {
      const served = { findStore: async () => bug(), engine: bug, quiet };
      await expect(watch(served, new AbortController().signal)).rejects.toThrow('a bug');
    });

    test('waits for a store that cannot be opened', async () => {
      const stop = new AbortController();
      const findStore = async () => {
        stop.abort();
        await createStorageFromConfig({ persistence: { storage_type: 'unknown' } });
        return bug();
      };
      await expect(watch({ findStore, engine: bug, quiet }, stop.signal)).resolves.toBeUndefined();
    });
  },
);

describe('the server', () => {
  const projectWith = (open: BackendFactory): string => {
    const dir = tempDir();
    unregister = registerStorage('faulty', open);
    configure({ dir, config: { persistence: { storage_type: 'faulty' } } });
    return dir;
  };

  test('does not start where it does not know what is wrong with the store', async () => {
    await expect(serveOn({ dir: projectWith(async () => bug()) })).rejects.toThrow('a bug');
  });

  test('throws what it does not know of while it finishes what was left', async () => {
    const { promise: closing, resolve: close } = Promise.withResolvers<void>();
    const dir = projectWith(async ({ project_dir }) => {
      const { backend } = await createStorageFromConfig({}, { project_dir });
      return {
        ...backend,
        async page(of, query) {
          if (of !== 'tasks') return backend.page(of, query);
          await closing;
          return bug();
        },
      };
    });
    const dashboard = await serveOn({ dir });
    const closed = dashboard.close();
    close();
    await expect(closed).rejects.toThrow('a bug');
    await expect(fetch(`http://127.0.0.1:${dashboard.port}/`)).rejects.toThrow();
  });
});
