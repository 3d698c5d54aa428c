/** The task that stories are about: each of its operations adds one mark to a page, in one of the ways there are. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepContext, TaskContext } from '../../src/engine/api/context.ts';
import type { TaskDefinition } from '../../src/engine/api/definition.ts';
import { EMPTY, type Spot, textOf, withMark } from '../agents/pages.ts';

export interface Op extends Spot {
  /** `edit`, `agent` (by a sub-agent) and `write` go by `task.files`; `step` and `shell` write past it. */
  readonly kind: 'edit' | 'write' | 'step' | 'shell' | 'agent';
}

export interface Plan {
  readonly dir: string;
  readonly ops: readonly Op[];
  readonly end: 'complete' | 'fail' | 'wait';
}

export interface Hands {
  /** Before an operation: others may be at work. */
  between?(mark: string): void;
  /** In the middle of one; it waits for this. */
  inside?(mark: string): Promise<void> | void;
}

type Define = (
  name: string,
  run: (task: TaskContext, plan: Plan) => Promise<void>,
  options: { version: string },
) => TaskDefinition<Plan, void>;

export function storyTask(defineTask: Define, hands: Hands): TaskDefinition<Plan, void> {
  return defineTask(
    'story',
    async (task, plan) => {
      for (const [k, op] of plan.ops.entries()) {
        const mark = `${task.id}.${k}`;
        hands.between?.(mark);
        const done = await perform(task, plan.dir, op, mark, async () => hands.inside?.(mark)).then(
          () => 'did',
          unlessConflict,
        );
        // Shows a reader of the journal how far it came; changes nothing itself.
        await task.step(`${done} ${k}`, () => true);
      }
      if (plan.end === 'wait') await task.waitFor('user_input', { prompt: 'on?' });
      if (plan.end === 'fail') throw new Error('as planned');
    },
    { version: '1' },
  );
}

export const DID = /^(did|left) (\d+)$/;

async function perform(
  task: TaskContext,
  dir: string,
  op: Op,
  mark: string,
  inside: () => Promise<void>,
): Promise<unknown> {
  const { path } = op;
  const add = (text: string | null): string => withMark(op, mark, text ?? textOf(path, EMPTY));
  const byHand = async ({ unknown }: Pick<StepContext, 'unknown'>): Promise<void> => {
    const text = existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : null;
    // Cut off, it looks whether it was done; else it writes without looking, so that doing it twice shows.
    if (!(unknown && text?.includes(` ${mark}`))) writeFileSync(join(dir, path), add(text));
    await inside();
  };
  switch (op.kind) {
    case 'agent':
      return task.agent(`helper for ${path}`, (agent) =>
        perform(agent, dir, { ...op, kind: 'edit' }, mark, inside),
      );
    case 'step':
      return task.step(`by hand ${path}`, byHand, { dangerous: 'file_change' });
    case 'shell': {
      const { code } = await task.shell(`sed -i 's/^slot ${op.slot}.*/& ${mark}/' ${path}`);
      return code === 0 ? undefined : task.files.write(path, add(await task.files.read(path)));
    }
    case 'edit':
    case 'write': {
      const text = await task.files.read(path);
      if (op.kind === 'write' || text === null) return task.files.write(path, add(text));
      return task.files.edit(path, async (now) => {
        await inside();
        return add(now);
      });
    }
  }
}

function unlessConflict(error: unknown): 'left' {
  if ((error as { code?: string }).code !== 'FILE_CONFLICT') throw error;
  return 'left';
}
