/** A dashboard in a process of its own, which kills itself when it is about to change a file. Prints where it is. */
import { setIoHook } from '../../src/system/io.ts';
import { DISK_CHANGES } from '../support/disk-changes.ts';
import { serveOn } from './open.ts';

const { dir, deadly } = JSON.parse(process.argv[2]!) as { dir: string; deadly: string };
const { port, key } = await serveOn({ dir });
setIoHook(({ op, path }) => {
  if (DISK_CHANGES.has(op) && path.endsWith(deadly)) process.kill(process.pid, 'SIGKILL');
  return undefined;
});
console.log(JSON.stringify({ port, key }));
