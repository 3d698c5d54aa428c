/** Workers on one queue: what one leaves when it dies the next takes over, and no task holds up the others. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { noteReleased } from '../../src/engine/lifecycle/admission.ts';
import { IoError, StaleWriteError, StoreError, type VibeError } from '../../src/errors.ts';
import { benches, latch } from './setup.ts';
import { onEachStore } from './stores.ts';

const bench = benches();

onEachStore((fresh) => {
  test('a task whose worker ended before it was done is gone on with by the next one', async () => {
    const store = await fresh();
    const ran: string[] = [];
    const begun = latch();
    let held = true;
    const job = defineTask('job', async (task, name: string) => {
      await task.step('first', () => void ran.push(`${name} first`));
      await task.step('second', async () => {
        begun.resolve();
        if (held) await new Promise(() => {});
        ran.push(`${name} second`);
      });
    });
    const first = await store.open({ tasks: [job] });
    for (const name of ['a', 'b']) await first.enqueue(job, name);
    const worked = first.work();
    await begun.promise;
    await first.close();
    await worked;
    held = false;
    const second = await store.open({ tasks: [job] });
    await second.work();
    expect(ran).toEqual(['a first', 'a second', 'b first', 'b second']);
    expect(await second.storage.list('queue')).toEqual([]);
  });

  test('a place in the queue that others changed stays as it is; what else goes wrong is told', async () => {
    const store = await fresh();
    const { storage, enqueue } = await store.open();
    await enqueue(
      defineTask('job', async () => {}),
      undefined,
    );
    const [place] = await storage.list('queue');
    const failing = (error: VibeError) => ({ ...storage, commit: () => Promise.reject(error) });
    const details = { hint: 'none' };
    await noteReleased(failing(new StaleWriteError('others wrote it', details)), place!);
    await noteReleased(failing(new StoreError('STORE_GONE', 'gone', details)), place!);
    const full = noteReleased(failing(new IoError('DISK_FULL', 'full', details)), place!);
    await expect(full).rejects.toMatchObject({ code: 'DISK_FULL' });
  });
});

test('a task that cannot be gone on with does not hold up the others', async () => {
  const at = bench();
  const working_dir = join(at.dir, 'work');
  mkdirSync(working_dir);
  const begun = latch();
  let held = true;
  const job = defineTask('job', (task) =>
    task.step('run', async () => {
      begun.resolve();
      if (held) await new Promise(() => {});
      return 'done';
    }),
  );
  const first = await at.open({ tasks: [job] });
  const stuck = await first.enqueue(job, undefined, { working_dir, priority: 'critical' });
  const worked = first.work();
  await begun.promise;
  await first.close();
  await worked;
  rmSync(working_dir, { recursive: true });
  held = false;
  const engine = await at.open({ tasks: [job] });
  const free = await engine.enqueue(job, undefined);
  const ends: unknown[] = [];
  engine.on('run.ended', ({ task, error }) => ends.push([task, (error as { code?: string } | null)?.code]));
  await engine.work();
  expect((await engine.state(free))?.status).toBe('completed');
  expect((await engine.state(stuck))?.status).toBe('in_progress');
  expect(ends).toContainEqual([stuck, 'NEEDS_ANSWER']);
});

test('an engine that is closed begins nothing more: the rest stays queued', async () => {
  const at = bench();
  const ran: number[] = [];
  const begun = latch();
  const job = defineTask('job', (task, n: number) =>
    task.step('run', async () => {
      ran.push(n);
      begun.resolve();
      await new Promise(() => {});
    }),
  );
  const engine = await at.open({ tasks: [job] });
  for (let n = 0; n < 4; n++) await engine.enqueue(job, n);
  const worked = engine.work();
  await begun.promise;
  await engine.close();
  await worked;
  expect(ran).toEqual([0]);
  expect(await (await at.open()).tasks({ status: 'queued' })).toHaveLength(3);
});

test('a task that waits for a person does not keep the others from running', async () => {
  const engine = await bench().open();
  const ran: string[] = [];
  const asks = defineTask('asks', (task) => task.waitFor<string>('user_input'));
  const quick = defineTask('quick', (_task, name: string) => void ran.push(name));
  const asked = await engine.enqueue(asks, undefined, { priority: 'high' });
  for (const name of ['a', 'b']) await engine.enqueue(quick, name);
  const worked = engine.work();
  await expect.poll(() => ran).toEqual(['a', 'b']);
  await engine.answer(asked, 'yes');
  await worked;
  expect(await engine.output(asked)).toBe('yes');
});
