/** Damages a stopped task at random, and resumes it by the command line; one unit of size is one damaged store. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Broken } from '../crash/oracle.ts';
import { random } from '../crash/random.ts';
import { type CampaignOptions, Notes, type Report } from '../crash/report.ts';
import { withScratch } from '../crash/scratch.ts';
import type { StoreName } from '../crash/stores.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { doDamage } from './damages.ts';
import { judge } from './judge.ts';
import { postgresRows, sqliteRows } from './rows.ts';
import { openShell, type Shell } from './shell.ts';
import { makeWorld, type World } from './world.ts';

export interface DamageOptions extends CampaignOptions {
  readonly encrypted?: boolean;
  readonly git?: boolean;
  /** How long a command may take before it counts as one that never ends. */
  readonly patience_ms?: number;
  /** Only this one, to see it again. */
  readonly number?: number;
}

/** Files that others changed are put back as the task left them: nobody is there to be asked. */
const FLAGS = ['--on-modified', 'use_checkpoint', '--on-deleted', 'restore', '--json'];
/** Once in so many times in a process of its own, as people run it. */
const ALONE = 250;

export const damage = (store: StoreName, options: DamageOptions): Promise<Report> =>
  withScratch(async (scratch) => {
    const { encrypted = false, git = false } = options;
    const notes = new Notes(`${store}${encrypted ? ' sealed' : ''}${git ? ' git' : ''}`, options);
    if (encrypted) process.env.DAMAGE_KEY = process.env.VIBE_ENGINE_KEY = KEY;
    else delete process.env.DAMAGE_KEY;
    const server = store === 'postgres' ? await startPostgresServer(['fsync=off']) : null;
    const shell = openShell(options.src, options.patience_ms);
    try {
      const place = server ? { url: server.url } : {};
      const rows = (dir: string) => (server ? postgresRows(server.url) : sqliteRows(dir));
      const world = await makeWorld({ ...options, store, scratch, shell, encrypted, git, rows, ...place });
      const first = options.number ?? 0;
      const end = options.number === undefined ? options.size : first + 1;
      for (let number = first; number < end && !notes.over; number++) {
        await one(world, shell, options, notes, number);
        if (number % 500 === 499) notes.progress(`${number + 1} of ${options.size}`);
      }
      await world.close();
    } finally {
      shell.close();
      await server?.stop();
    }
    return notes.report;
  }, true);

/** Of nothing but these tests. */
const KEY = '5ea1'.repeat(16);

async function one(
  world: World,
  shell: Shell,
  options: DamageOptions,
  notes: Notes,
  number: number,
): Promise<void> {
  const rng = random(options.seed, 'damage', world.store, number);
  await world.restore();
  const damages = await doDamage(world, rng);
  const what = damages.map((damage) => damage.what).join('; ');
  const keep = (dir: string) => cpSync(world.dir, join(dir, 'project'), { recursive: true });
  const command = { args: ['resume', world.task, ...FLAGS], cwd: world.dir, env: world.env() };
  const ran = await (number % ALONE === ALONE - 1 ? shell.alone(command) : shell.run(command));
  notes.count('damaged');
  try {
    const asTold = ['resume', world.task, '--on-modified', 'use_current', '--json'];
    const again = () => shell.run({ ...command, args: asTold });
    notes.count(await judge(world, damages, ran, again));
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const said = 'err' in ran ? ran.err.slice(0, 500) : '';
    notes.violation(error.message, `--only ${world.store} --number ${number}: ${what}\n${said}`, keep);
  }
}
