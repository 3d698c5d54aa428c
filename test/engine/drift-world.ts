/** An engine in a clone whose upstream moves, and a task that has changed a file there. */
import { defineTask } from '../../src/engine/api/definition.ts';
import type { EngineEvent } from '../../src/engine/api/events.ts';
import { type Engine, type EngineOptions, openEngine } from '../../src/engine/engine.ts';
import type { Ground } from '../drift/ground.ts';
import { untilStatus } from './letters.ts';

/** Edits `a.txt`, then waits. */
export const editing = defineTask('editing', async (task, line: string) => {
  await task.files.edit('a.txt', (text) => `${text}${line}\n`);
  await task.progress(50);
  return task.waitFor('user_input');
});

export const TEN = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n';

export async function withEngine(
  ground: Ground,
  options: EngineOptions,
  use: (engine: Engine, heard: EngineEvent[]) => Promise<void>,
): Promise<void> {
  const engine = await openEngine({
    project_dir: ground.work.dir,
    workspace: true,
    signals: false,
    tasks: [editing],
    ...options,
  });
  const heard: EngineEvent[] = [];
  engine.on('*', (event) => heard.push(event));
  try {
    await use(engine, heard);
  } finally {
    await engine.close();
  }
}

/** A task that has changed `a.txt` and is paused. */
export async function pausedTask(engine: Engine): Promise<string> {
  const { id, outcome } = await engine.start(editing, 'mine');
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  return id;
}

/** What became of each event, in words. */
export async function resolutions(engine: Engine, id: string): Promise<string[]> {
  return (await engine.versions(id))!.drift_events.map(({ type, resolution }) => `${type} ${resolution}`);
}
