/** The public names. A name added or taken away changes this list, on purpose. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const VALUES = [
  'ConfigError',
  'ConversationPersistence',
  'CorruptError',
  'ERROR_CODES',
  'IllegalTransitionError',
  'InvalidInputError',
  'InvalidStateError',
  'IoError',
  'JsonStorage',
  'NotSerialisableError',
  'OwnershipError',
  'PersistenceManager',
  'START',
  'SqliteStorage',
  'StaleWriteError',
  'StoreError',
  'VibeError',
  'autoSaveId',
  'createStorageFromConfig',
  'loadConfig',
  'newTaskId',
  'registerClass',
  'registerStorage',
];

const TYPES = [
  'AutoSaveOptions',
  'BlobInfo',
  'CheckpointRecord',
  'CheckpointsConfig',
  'Claim',
  'ClassCodec',
  'CleanupConfig',
  'Commit',
  'Config',
  'ConfigInput',
  'DriftConfig',
  'Environment',
  'ErrorCode',
  'ErrorDetails',
  'Explained',
  'JournalEntry',
  'JournalRange',
  'JsonStorageOptions',
  'LoadConfigOptions',
  'LoadedConfig',
  'NewBlob',
  'Owner',
  'Page',
  'PageQuery',
  'PersistenceConfig',
  'Position',
  'Problem',
  'Receipt',
  'RecordWrite',
  'RecoveryConfig',
  'SqliteOptions',
  'Storage',
  'StorageContext',
  'StorageFactory',
  'StorageSettings',
  'StoredRecord',
  'TaskWrite',
  'TriggerPriority',
];

test('src/index.ts exports these values', async () => {
  expect(Object.keys(await import('../src/index.ts')).sort()).toEqual(VALUES);
});

test('src/index.ts exports these types, and nothing by a star', () => {
  const text = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8');
  const types = [...text.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, allTypes, names]) =>
    names!
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (allTypes || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '')),
  );
  expect(types.sort()).toEqual(TYPES);
  expect(text).not.toMatch(/export \*/);
});
