/** Rebases, and dies at the nth call that changes the disk once the rebase has begun; 0: not at all. */
import { writeFileSync } from 'node:fs';
import { look, type Sight } from '../../src/drift/look.ts';
import { rebase } from '../../src/drift/rebase/rebase.ts';
import { setIoHook } from '../../src/system/io.ts';
import { DISK_CHANGES } from '../support/disk-changes.ts';
import { cloneAt, gitOf } from './ground.ts';

const [dir, note, nth] = process.argv.slice(2);
const git = gitOf(cloneAt(dir!));
const sight = (await look(git, { wanted: null, fetch_timeout_ms: 20_000 })) as Sight;
let calls = 0;
await rebase(git, {
  sight,
  commits_behind: 1,
  force_push: false,
  permitted: true,
  test_command: 'true',
  test_timeout_ms: 60_000,
  task: 't0',
  begin: async (unfinished) => {
    writeFileSync(note!, JSON.stringify(unfinished));
    setIoHook(({ op }) => {
      if (DISK_CHANGES.has(op) && ++calls === Number(nth)) process.kill(process.pid, 'SIGKILL');
      return undefined;
    });
  },
});
