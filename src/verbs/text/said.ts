/** All that the lower rooms say, in Chinese: a file per room, which has its sentences by their English. */

import type { Said } from './catalogue.ts';
import { checkpoint } from './said/checkpoint.ts';
import { config } from './said/config.ts';
import { damage } from './said/damage.ts';
import { drift } from './said/drift.ts';
import { driftRebase } from './said/drift-rebase.ts';
import { engineAD } from './said/engine-a-d.ts';
import { engineDoctor } from './said/engine-doctor.ts';
import { engineEQ } from './said/engine-e-q.ts';
import { engineFiles } from './said/engine-files.ts';
import { engineHostile } from './said/engine-hostile.ts';
import { engineMoving } from './said/engine-moving.ts';
import { enginePortable } from './said/engine-portable.ts';
import { engineRZ } from './said/engine-r-z.ts';
import { engineUndo } from './said/engine-undo.ts';
import { merge } from './said/merge.ts';
import { recovery } from './said/recovery.ts';
import { storage } from './said/storage.ts';
import { storageEncrypted } from './said/storage-encrypted.ts';
import { storageJson } from './said/storage-json.ts';
import { storagePostgres } from './said/storage-postgres.ts';
import { storageSerialize } from './said/storage-serialize.ts';
import { storageSqlite } from './said/storage-sqlite.ts';
import { system } from './said/system.ts';
import { task } from './said/task.ts';
import { workspace } from './said/workspace.ts';
import { workspaceReservations } from './said/workspace-reservations.ts';
import { workspaceResolve } from './said/workspace-resolve.ts';

export const SAID: Said = {
  ...checkpoint,
  ...config,
  ...damage,
  ...drift,
  ...driftRebase,
  ...engineAD,
  ...engineDoctor,
  ...engineEQ,
  ...engineHostile,
  ...engineFiles,
  ...engineMoving,
  ...enginePortable,
  ...engineRZ,
  ...engineUndo,
  ...merge,
  ...recovery,
  ...storage,
  ...storageEncrypted,
  ...storageJson,
  ...storagePostgres,
  ...storageSerialize,
  ...storageSqlite,
  ...system,
  ...task,
  ...workspace,
  ...workspaceReservations,
  ...workspaceResolve,
};
