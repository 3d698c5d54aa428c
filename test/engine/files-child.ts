/** Rolls a task back, undoes its work, redoes that, takes another's, or goes on from an older point; and kills itself before the nth change of a file. Prints how many there were. */
import { openEngine } from '../../src/engine/engine.ts';
import { setIoHook } from '../../src/system/io.ts';
import { DISK_CHANGES } from '../support/disk-changes.ts';

const { dir, task, checkpoint, deadly, undo, from } = JSON.parse(process.argv[2]!) as {
  dir: string;
  task: string;
  /** Null to redo. */
  checkpoint: string | null;
  deadly: number;
  /** To undo. */
  undo?: true;
  /** To take what that task did. */
  from?: string;
};
const engine = await openEngine({
  project_dir: dir,
  workspace: true,
  signals: false,
  automatic_cleanup: false,
});
let changes = 0;
setIoHook(({ op }) => {
  if (DISK_CHANGES.has(op) && ++changes === deadly) process.kill(process.pid, 'SIGKILL');
  return undefined;
});
if (from !== undefined) await engine.take(from, task);
else if (undo) await engine.undo(task);
else if (checkpoint === null) await engine.redo(task);
else await engine.rollback(checkpoint);
setIoHook(undefined);
console.log(changes);
await engine.close();
