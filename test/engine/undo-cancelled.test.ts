/** What is brought back of a task that was called off after an undo: its files, and no more. */
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { liveEntries } from '../../src/engine/task/journal.ts';
import { requireTask } from '../../src/engine/task/tasks.ts';
import { checkpointsOf, untilStatus } from './letters.ts';
import { benches } from './setup.ts';
import { adding, errorOf, groundIn } from './undo-ground.ts';

const bench = benches();
const quiet = { workspace: true, automatic_cleanup: false } as const;
const BEFORE = 'one\n';
const FORWARD = `${BEFORE}by the task\n`;

/** Those that its journal still tells. */
async function statuses({ storage }: Engine, id: string): Promise<string[]> {
  const { head } = await requireTask(storage, id);
  const found: string[] = [];
  for await (const { entry } of liveEntries(storage, head)) if (entry.t === 'status') found.push(entry.to);
  return found;
}

describe('a task that is cancelled after its files were taken back', () => {
  async function cancelled() {
    const at = bench();
    const ground = groundIn(at.dir, { 'a.txt': BEFORE });
    const told: string[] = [];
    const definition = defineTask('work', async (task) => {
      await task.files.edit('a.txt', adding('by the task'));
      await task.waitFor('user_input');
    });
    const notify = (said: readonly string[]) => void told.push(...said);
    const engine = await at.open({ ...quiet, tasks: [definition], notify });
    const { id, outcome } = await engine.start(definition, undefined);
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    return { read: ground.read, engine, id, told };
  }

  test('has them brought back by redo, stays cancelled, and can be undone again', async () => {
    const { engine, id, read } = await cancelled();
    await engine.undo(id);
    await engine.cancel(id);
    for (const _ of [1, 2]) {
      expect(read('a.txt')).toBe(BEFORE);
      expect(await engine.redo(id)).toMatchObject({ files_only: true, state: { status: 'cancelled' } });
      expect(read('a.txt')).toBe(FORWARD);
      expect((await engine.state(id))?.status).toBe('cancelled');
      expect(await statuses(engine, id)).toContain('cancelled');
      await engine.undo(id);
    }
  });

  test('also where it was started again, which says how', async () => {
    const { engine, id, told, read } = await cancelled();
    const handle = await engine.restart(id);
    await untilStatus(engine, handle.id, 'waiting');
    await engine.cancel(handle.id);
    await handle.outcome;
    expect(told.join('\n')).toContain(
      `To bring back the old task’s changes to files: vibe-engine redo ${id}`,
    );
    await engine.undo(handle.id);
    expect(read('a.txt')).toBe(BEFORE);
    await engine.redo(id);
    expect(read('a.txt')).toBe(FORWARD);
  });

  test('not where the task itself went back: its status is part of that', async () => {
    const { engine, id } = await cancelled();
    await engine.rollback((await checkpointsOf(engine, id))[0]!);
    await engine.cancel(id);
    expect(await errorOf(engine.redo(id))).toMatchObject({ code: 'NOTHING_TO_REDO' });
  });
});
