/** All that the lower rooms say, in Chinese: a file per room, which has its sentences by their English. */

import { agents } from './agents.ts';
import { checkpoint } from './checkpoint.ts';
import { config } from './config.ts';
import { damage } from './damage.ts';
import { drift } from './drift.ts';
import { driftRebase } from './drift-rebase.ts';
import { engineAD } from './engine-a-d.ts';
import { engineAttach } from './engine-attach.ts';
import { engineEQ } from './engine-e-q.ts';
import { engineFiles } from './engine-files.ts';
import { engineRZ } from './engine-r-z.ts';
import { engineTransfer } from './engine-transfer.ts';
import { engineUndo } from './engine-undo.ts';
import type { Said } from './said.ts';
import { storage } from './storage.ts';
import { storageEncrypted } from './storage-encrypted.ts';
import { storageJson } from './storage-json.ts';
import { storagePostgres } from './storage-postgres.ts';
import { storageSerialize } from './storage-serialize.ts';
import { storageSqlite } from './storage-sqlite.ts';
import { system } from './system.ts';
import { task } from './task.ts';
import { workspace } from './workspace.ts';

export const SAID: Said = {
  ...agents,
  ...checkpoint,
  ...config,
  ...damage,
  ...drift,
  ...driftRebase,
  ...engineAD,
  ...engineAttach,
  ...engineEQ,
  ...engineFiles,
  ...engineTransfer,
  ...engineRZ,
  ...engineUndo,
  ...storage,
  ...storageEncrypted,
  ...storageJson,
  ...storagePostgres,
  ...storageSerialize,
  ...storageSqlite,
  ...system,
  ...task,
  ...workspace,
};
