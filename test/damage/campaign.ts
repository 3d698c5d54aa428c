/** Damages a stopped task at random, and resumes it by the command line; one unit of size is one damaged store. */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Broken } from '../crash/oracle.ts';
import { random } from '../crash/random.ts';
import { type CampaignOptions, Notes, type Report } from '../crash/report.ts';
import { withScratch } from '../crash/scratch.ts';
import type { StoreName } from '../crash/stores.ts';
import { ASKED_AT, startPostgresServer, withPostgres } from '../support/postgres.ts';
import { doDamage } from './damages.ts';
import { judge, REFUSED } from './judge.ts';
import { keptFrom } from './kept.ts';
import { postgresRows, sqliteRows } from './rows.ts';
import { openShell, type Shell } from './shell.ts';
import { makeWorld, type Past, type World } from './world.ts';

export interface DamageOptions extends CampaignOptions {
  readonly encrypted?: boolean;
  readonly git?: boolean;
  readonly past?: Past;
  /** So many at a time, each with a project of its own. */
  readonly jobs?: number;
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
    const { encrypted = false, git = false, past = 'plain', jobs = 1 } = options;
    const kind = [encrypted && 'sealed', git && 'git', past !== 'plain' && past].filter(Boolean);
    const notes = new Notes([store, ...kind].join(' '), options);
    if (encrypted) process.env.DAMAGE_KEY = process.env.VIBE_ENGINE_KEY = KEY;
    else delete process.env.DAMAGE_KEY;
    const server = store === 'postgres' ? await postgres() : null;
    const first = options.number ?? 0;
    const end = options.number === undefined ? options.size : first + 1;
    let next = first;
    const work = async (job: number): Promise<void> => {
      const shell = openShell(options.src, options.patience_ms);
      const own = join(scratch, String(job));
      mkdirSync(own);
      try {
        const url = server
          ? await newDatabase(server.url, `job${job}_${randomBytes(6).toString('hex')}`)
          : undefined;
        const rows = (dir: string) => (url === undefined ? sqliteRows(dir) : postgresRows(url));
        const place = url === undefined ? {} : { url };
        // However impatient one is with what comes then.
        const patient = options.patience_ms === undefined ? shell : openShell(options.src);
        const made = { src: options.src, store, scratch: own, encrypted, git, past, rows, ...place };
        const world = await makeWorld({ ...made, shell: patient }).finally(() => {
          if (patient !== shell) patient.close();
        });
        while (next < end && !notes.over) {
          const number = next++;
          await one(world, shell, options, notes, number);
          if (number % 500 === 499) notes.progress(`${number + 1} of ${options.size}`);
        }
        await world.close();
      } finally {
        notes.count('seconds of the processor', Math.round(shell.cpu_ms() / 1000));
        shell.close();
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(jobs, end - first) }, (_, job) => work(job)));
    } finally {
      await server?.stop();
    }
    return notes.report;
  }, true);

/** Its data are gone with it: nothing that a store promises depends on these. */
const FAST = ['fsync=off', 'full_page_writes=off', 'autovacuum=off'];

/** The one of the test run, where there is one. */
const postgres = () => (process.env[ASKED_AT] ? withPostgres() : startPostgresServer(FAST));

async function newDatabase(url: string, name: string): Promise<string> {
  const { Client } = (await import('pg')).default;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return url.replace(/\/postgres$/, `/${name}`);
}

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
  const kept = await keptFrom(world, !damages.some(({ raw }) => raw));
  const keep = (dir: string) => cpSync(world.dir, join(dir, 'project'), { recursive: true });
  const command = { args: ['resume', world.task, ...FLAGS], cwd: world.dir, env: world.env() };
  const ran = await (number % ALONE === ALONE - 1 ? shell.alone(command) : shell.run(command));
  notes.count('damaged');
  try {
    const asTold = ['resume', world.task, '--on-modified', 'use_current', '--json'];
    const again = () => shell.run({ ...command, args: asTold });
    const went = await judge(world, damages, ran, kept, again);
    notes.count(went);
    if (went === REFUSED && damages.length === 1 && damages[0]!.putBack) {
      damages[0]!.putBack();
      const healed = await judge(world, [], await shell.run(command), async () => {});
      if (healed !== 'lost nothing') throw new Broken(`refused, then put back, it ${healed}`);
    }
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const said = 'err' in ran ? ran.err.slice(0, 2500) : '';
    notes.violation(error.message, `--only ${world.store} --number ${number}: ${what}\n${said}`, keep);
  }
}
