/** What a task says of the calls of its agent. */
import type { Engine } from '../../src/engine/engine.ts';

/** Of the oldest task: tool, agent and how it ended; refused ones last. */
export async function callsOf(engine: Engine): Promise<unknown[]> {
  const [task] = await engine.tasks();
  const { steps } = await engine.history(task!.task_id);
  const [last] = (await engine.checkpoints.listCheckpoints(task!.task_id)).toReversed();
  const { tool_outputs } = (await engine.checkpoints.loadCheckpoint(last!.id))!.context;
  const skipped = steps.filter(({ status }) => status === 'skipped');
  const agentOf = (agent: string | null | undefined): string => agent?.replace(/-.*/, '') ?? '';
  return [
    ...tool_outputs.map(({ tool, status, agent }) => [tool, agentOf(agent), status]),
    ...skipped.map(({ name, agent }) => [name.slice(5), agentOf(agent), 'refused']),
  ];
}
