/** A project's store sealed and opened again by the library, with settings that the program keeps itself. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { moveStorage } from '../../src/engine/moving/beside.ts';
import { createStorageFromConfig, openUnsealed } from '../../src/storage/opening/factory.ts';
import { keyProvider } from '../contract/open-store.ts';
import { append, collect, expectCode } from '../contract/support.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

test('a store is moved beside itself and back, and the settings are the caller’s', async () => {
  const project_dir = tempDir();
  const key = keyProvider('ab'.repeat(32));
  let { config } = loadConfig({ project_dir });
  const options = {
    project_dir,
    key,
    switchOver: ({ name, value }: { name: string; value: string }) => {
      config = { ...config, persistence: { ...config.persistence, [name]: value } };
    },
    isSwitched: ({ name, value }: { name: string; value: string }) => config.persistence[name] === value,
  };
  const store = await createStorageFromConfig(config, { project_dir });
  await append(store, 't1', ['a', 'b']);
  await store.close();

  const before = config;
  const sealed = await moveStorage({ ...options, config, direction: 'encrypt' });
  expect(sealed).toMatchObject({ tasks: 1, entries: 2, from: '.vibe-engine' });
  expect(config.persistence.path).toBe(join('.vibe-engine', '.sealed'));
  await expectCode(moveStorage({ ...options, config: before, direction: 'encrypt' }), 'STORE_MOVED');
  await expectCode(createStorageFromConfig(config, { project_dir }), 'STORE_ENCRYPTED');

  expect(await moveStorage({ ...options, config, direction: 'decrypt' })).toMatchObject({ tasks: 1 });
  const open = await openUnsealed(config, { project_dir });
  expect((await collect(open.read('t1'))).map(({ data }) => data)).toEqual(['a', 'b']);
  await open.close();
});

test('what fails before the switch leaves everything as it was', async () => {
  const project_dir = tempDir();
  const { config } = loadConfig({ project_dir });
  const store = await createStorageFromConfig(config, { project_dir });
  await append(store, 't1', ['a']);
  await store.close();
  const failed = moveStorage({
    config,
    project_dir,
    direction: 'encrypt',
    key: keyProvider('ab'.repeat(32)),
    switchOver: () => {
      throw new Error('not written');
    },
    isSwitched: () => false,
  });
  await expect(failed).rejects.toThrow('not written');
  const again = await createStorageFromConfig(config, { project_dir });
  expect((await collect(again.read('t1'))).map(({ data }) => data)).toEqual(['a']);
  await again.close();
});
