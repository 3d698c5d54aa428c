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
  'STATE_TRANSITIONS',
  'SqliteStorage',
  'StaleWriteError',
  'StoreError',
  'TaskStatus',
  'VibeError',
  'autoSaveId',
  'canTransition',
  'createStorageFromConfig',
  'isExpired',
  'isFinal',
  'isResumable',
  'loadConfig',
  'newTaskId',
  'parseState',
  'queueTask',
  'registerClass',
  'registerStorage',
  'transition',
  'updateData',
];

const TYPES = [
  'AutoSaveOptions',
  'BlobInfo',
  'CancelledData',
  'CheckpointRecord',
  'CheckpointsConfig',
  'Claim',
  'ClassCodec',
  'CleanupConfig',
  'Commit',
  'CompletedData',
  'Config',
  'ConfigInput',
  'DriftConfig',
  'Environment',
  'ErrorCode',
  'ErrorDetails',
  'Explained',
  'FailedData',
  'InProgressData',
  'JournalEntry',
  'JournalRange',
  'JsonStorageOptions',
  'LoadConfigOptions',
  'LoadedConfig',
  'NewBlob',
  'NewTask',
  'Owner',
  'Page',
  'PageQuery',
  'PausedData',
  'PersistenceConfig',
  'Position',
  'Problem',
  'QueuedData',
  'Receipt',
  'RecordWrite',
  'RecoveryConfig',
  'SealedState',
  'SqliteOptions',
  'StateData',
  'Storage',
  'StorageContext',
  'StorageFactory',
  'StorageSettings',
  'StoredRecord',
  'Surroundings',
  'TaskComplexity',
  'TaskPriority',
  'TaskState',
  'TaskWrite',
  'TriggerPriority',
  'WaitingData',
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
