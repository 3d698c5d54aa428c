/** A worker that was stopped for longer than its lease wakes, and reads an old answer before any timer fires. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { SOURCES } from '../crash/mutants.ts';
import { seededBugs, unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { begunWithBug, MUTANTS } from '../workers/mutants.ts';
import { zombie } from '../workers/zombies.ts';

const tempDir = tempDirs();

describe('PostgreSQL', () => {
  test.each(unlessFull([5], [1, 5, 18]))(
    'begins nothing of a task that another has taken over (commit %i)',
    async (stop_at) => {
      expect(await zombie(SOURCES, stop_at)).toEqual({
        stop_at,
        stopped: true,
        begun: [],
        ended: 'stopped FENCED_OUT',
      });
    },
  );

  test.each(seededBugs(MUTANTS))('is caught where $name', async (mutant) => {
    expect(await begunWithBug(mutant)).not.toEqual([]);
  });
});

const LOCAL = {
  json: (root: string) => openJsonStorage({ root: join(root, 'store') }),
  sqlite: (root: string) => openSqliteStorage({ path: join(root, 'store', 'data.db') }),
};

describe.each(['json', 'sqlite'] as const)('%s', (type) => {
  test('a step of a task that another has claimed does not begin', async () => {
    const root = tempDir();
    const storage = await LOCAL[type](root);
    const second = Promise.withResolvers<Awaited<ReturnType<(typeof LOCAL)['json']>>>();
    const ran: string[] = [];
    const job = defineTask('job', async (task) => {
      await task.step('first', async () => {
        ran.push('first');
        // However it came about: nobody is said to own it, and a second claim is given.
        const locks = type === 'json' ? join(root, 'store', 'locks') : join(root, 'store', 'data.db-locks');
        const db = new DatabaseSync(join(locks, 'owners.db'));
        db.exec('UPDATE owners SET instance = NULL');
        db.close();
        const other = await LOCAL[type](root);
        await other.claim(task.id);
        second.resolve(other);
        await task.step('within', () => void ran.push('within'));
      });
      await task.step('second', () => void ran.push('second'));
    });
    const engine = await openEngine({ project_dir: root, storage, signals: false, automatic_cleanup: false });
    const { outcome } = await engine.start(job, undefined);
    expect(await outcome).toMatchObject({ status: 'stopped', error: { code: 'FENCED_OUT' } });
    expect(ran).toEqual(['first']);
    await engine.close();
    await (await second.promise).close();
    await storage.close().catch(() => {});
  });
});
