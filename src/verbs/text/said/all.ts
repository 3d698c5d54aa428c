/** All that the lower rooms say, in Chinese: a file per room, which has its sentences by their English. */

import type { Said } from '../catalogue.ts';
import { checkpoint } from './checkpoint.ts';
import { config } from './config.ts';
import { damage } from './damage.ts';
import { drift } from './drift.ts';
import { driftRebase } from './drift-rebase.ts';
import { engineAD } from './engine-a-d.ts';
import { engineDoctor } from './engine-doctor.ts';
import { engineEQ } from './engine-e-q.ts';
import { engineFiles } from './engine-files.ts';
import { engineHostile } from './engine-hostile.ts';
import { engineMoving } from './engine-moving.ts';
import { enginePortable } from './engine-portable.ts';
import { engineRZ } from './engine-r-z.ts';
import { engineUndo } from './engine-undo.ts';
import { merge } from './merge.ts';
import { recovery } from './recovery.ts';
import { storage } from './storage.ts';
import { storageEncrypted } from './storage-encrypted.ts';
import { storageJson } from './storage-json.ts';
import { storagePostgres } from './storage-postgres.ts';
import { storageSerialize } from './storage-serialize.ts';
import { storageSqlite } from './storage-sqlite.ts';
import { system } from './system.ts';
import { task } from './task.ts';
import { workspace } from './workspace.ts';
import { workspaceReservations } from './workspace-reservations.ts';
import { workspaceResolve } from './workspace-resolve.ts';

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
