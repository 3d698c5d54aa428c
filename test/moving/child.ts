/** A process that runs one command of the command line, and kills itself before the change it is told, counted over all stores. */
import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';
import { runCli } from '../../src/cli/run.ts';
import { setIoHook } from '../../src/system/io.ts';
import { DISK_CHANGES } from '../support/disk-changes.ts';

export interface Job {
  readonly dir: string;
  readonly args: readonly string[];
  /** The how manyth change it dies before; null lets it live. */
  readonly kill: number | null;
  /** The how manyth call of this kind fails. */
  readonly fail?: { readonly op: 'write' | 'fsync'; readonly at: number };
}

export interface Done {
  readonly exit: number;
  readonly changes: number;
  readonly said: string;
}

const { dir, args, kill, fail } = JSON.parse(process.argv[2]!) as Job;
let changes = 0;
let calls = 0;
const count = (): void => {
  if (++changes === kill) process.kill(process.pid, 'SIGKILL');
};
setIoHook(({ op }) => {
  if (DISK_CHANGES.has(op)) count();
  return op === fail?.op && ++calls === fail.at ? { errno: op === 'write' ? 'ENOSPC' : 'EIO' } : undefined;
});
/** What SQLite and the server's driver do goes past our own files. */
function counted(prototype: object, name: string): void {
  const methods = prototype as Record<string, (...given: unknown[]) => unknown>;
  const run = methods[name]!;
  methods[name] = function (this: unknown, ...given) {
    count();
    return run.apply(this, given);
  };
}
counted(StatementSync.prototype, 'run');
counted(DatabaseSync.prototype, 'exec');
counted(pg.Client.prototype, 'query');

let said = '';
const say = (text: string): void => {
  said += text;
};
const exit = await runCli(args, {
  ...{ env: process.env, cwd: dir, out: say, err: say, screen: null, interactive: false },
});
process.send!({ exit, changes, said } satisfies Done);
process.disconnect();
