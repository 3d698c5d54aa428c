/** What another process does with a task is seen as it happens: its steps, what is in progress, its questions, its death. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { TaskRow } from '../../src/engine/reading/row.ts';
import type { TaskBatch } from '../../src/engine/reading/watch-task.ts';
import type { Entry } from '../../src/engine/task/entries.ts';
import { VERSION } from '../../src/system/version.ts';
import { until } from '../support/until.ts';
import { onEveryStore, type Store } from './stores.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Runs a task that makes a step for every line it is told, and says its id. */
async function runElsewhere({ dir, config }: Store): Promise<{ child: ChildProcess; id: string }> {
  const given = JSON.stringify({ dir, config });
  const child = spawn(process.execPath, [join(import.meta.dirname, 'watched-child.ts'), given], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = await once(child.stdout!, 'data');
  return { child, id: String(line).trim() };
}

onEveryStore(
  (fresh) => {
    test('a task elsewhere: steps, what is in progress, a question, death', async () => {
      const store = await fresh();
      const engine = await store.open();
      const ending = new AbortController();
      const rows = new Map<string, TaskRow>();
      const following = (async () => {
        for await (const { rows: changed } of engine.reader.watchTasks({ signal: ending.signal }))
          for (const row of changed) rows.set(row.id, row);
      })();
      const { child, id } = await runElsewhere(store);
      const batches: TaskBatch[] = [];
      const watching = (async () => {
        for await (const batch of engine.reader.watchTask(id, { signal: ending.signal })) batches.push(batch);
      })();

      child.stdin!.write('one\n');
      const steps = () =>
        batches.flatMap(({ entries }) =>
          entries.flatMap(({ entry }) => (entry.t === 'step' ? [entry.name] : [])),
        );
      await until(() => expect(steps()).toEqual(['one']));
      const seqs = () => batches.flatMap(({ entries }) => entries.map(({ seq }) => seq));
      expect(seqs()).toEqual(seqs().map((_, i) => i + 1));
      expect(batches.at(-1)).toMatchObject({
        task: id,
        owner: { holder: expect.stringContaining(`${child.pid}`) },
      });
      await until(() => expect(rows.get(id)).toMatchObject({ position: seqs().length, interrupted: false }));

      child.stdin!.write('side by side\n');
      const under = () => {
        const state = batches.at(-1)!.state;
        return state.status === 'in_progress' ? state.data.under_way?.map(({ name }) => name) : null;
      };
      await until(() => expect(under()).toEqual(['left', 'right']));
      await until(() => expect(rows.get(id)).toMatchObject({ step: 'right', progress: 40 }));

      child.stdin!.write('ask\n');
      await until(() => expect(rows.get(id)?.waits).toMatchObject([{ kind: 'user_input', prompt: 'Well?' }]));
      await engine.answer(id, 'yes');
      await until(() => expect(rows.get(id)).toMatchObject({ status: 'in_progress', waits: [] }));

      child.kill('SIGKILL');
      await until(() =>
        expect(rows.get(id)).toMatchObject({ interrupted: true, holder: null, resumable: true }),
      );
      await until(() => expect(batches.at(-1)!.owner).toBeNull());
      expect(new Set(seqs()).size).toBe(seqs().length);
      ending.abort();
      await Promise.all([following, watching]);
    });
  },
  ['json', 'sqlite', 'postgres'],
);

onEveryStore(
  (fresh) => {
    test('the journal says which process ran, and how the run before it ended', async () => {
      const store = await fresh();
      const engine = await store.open();
      const asks = defineTask('asks', (task) => task.waitFor('user_input'));
      const { id } = await engine.start(asks, undefined);
      await until(async () => expect(await engine.state(id)).toMatchObject({ status: 'waiting' }));
      await engine.pause(id);
      await until(async () => expect(await engine.storage.owner(id)).toBeNull());
      await engine.resume(id);
      await until(async () => expect(await engine.state(id)).toMatchObject({ status: 'waiting' }));
      await engine.close();
      const again = await store.open({ tasks: [asks] });
      const resumed = await again.resume(id);
      await again.answer(id, 1);
      await resumed.result;
      const by = { pid: process.pid, host: hostname(), version: VERSION, fingerprint: asks.fingerprint };
      const entries = (await Array.fromAsync(again.storage.read(id))).map(({ data }) => data as Entry);
      const told = entries.flatMap((entry) => ('by' in entry && entry.t !== 'answer' ? [entry] : []));
      expect(told).toMatchObject([
        { t: 'status', to: 'in_progress', by },
        { t: 'recovery', by, after: 'pause' },
        { t: 'recovery', by, after: 'wait' },
      ]);
    });

    test('a list costs no reading while it is watched, and is the same', async () => {
      const engine = await (await fresh()).open();
      const quick = defineTask('quick', async (task) => task.step('one', () => 1));
      for (let n = 0; n < 3; n++) await engine.run(quick, undefined);
      const query = { statuses: [], resumable: false, find: undefined, sort: 'created', limit: 2 } as const;
      const read = await engine.reader.rows({ ...query, counts: true });
      expect(read).toMatchObject({ more: true, counts: { completed: 3, failed: 0 } });

      const ending = new AbortController();
      const told: string[] = [];
      const watching = (async () => {
        for await (const { rows, gone, initial } of engine.reader.watchTasks({ signal: ending.signal }))
          if (!initial) told.push(...rows.map(({ status }) => status), ...gone);
          else if (rows.length < 3) throw new Error('Not all of them.');
      })();
      const seen = await engine.reader.rows(query);
      expect(seen.rows).toEqual(read.rows);
      const id = await engine.enqueue(quick, undefined);
      await until(async () =>
        expect((await engine.reader.rows(query)).rows[0]).toMatchObject({ id, status: 'queued' }),
      );
      const next = await engine.reader.rows({ ...query, after: read.rows[0]!.id });
      expect(next.rows.map((row) => row.id)).toContain(read.rows[1]!.id);
      await until(() => expect(told).toContain('queued'));
      await engine.storage.removeTask(id);
      await until(() => expect(told).toContain(id));
      expect((await engine.reader.rows(query)).rows).toEqual(read.rows);
      ending.abort();
      await watching;
    });
  },
  ['json'],
);
