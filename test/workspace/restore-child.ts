/** Restores, and kills itself before the nth change of a file. Prints how many there were when it comes to the end. */
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { setIoHook } from '../../src/system/io.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import { DISK_CHANGES } from '../support/disk-changes.ts';

const { root, store, to, own, deadly, torn } = JSON.parse(process.argv[2]!) as {
  root: string;
  store: string;
  to: string;
  own: { from: string; to: string }[];
  deadly: number;
  /** Half of the nth write is made before. */
  torn: boolean;
};
let changes = 0;
setIoHook(({ op }) => {
  if (!DISK_CHANGES.has(op)) return undefined;
  changes++;
  if (torn && changes === deadly && op === 'write') return { short: 3 };
  if (changes === deadly + (torn ? 1 : 0)) process.kill(process.pid, 'SIGKILL');
  return undefined;
});
const storage = await openJsonStorage({ root: store });
const workspace = await openWorkspace({ root, storage });
await workspace.restore({ to, own, on_modified: 'use_current' });
await workspace.close();
await storage.close();
console.log(changes);
