import { beforeAll, expect, test } from 'vitest';
import { checkpointsInspect } from '../../src/verbs/look/checkpoints-inspect.ts';
import { checkpointsList } from '../../src/verbs/look/checkpoints-list.ts';
import { onEveryStore } from '../engine/stores.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';
import { populate, type Tasks } from './world.ts';

interface Listed {
  readonly checkpoints: readonly {
    id: string;
    short: string;
    sequence_number: number;
    step_name: string | null;
  }[];
}

onEveryStore((fresh) => {
  let dir: string;
  let made: Tasks;
  beforeAll(async () => {
    const store = await fresh();
    dir = store.dir;
    made = await populate(store);
  });

  test('checkpoints list shows them in order', async () => {
    const data = await ask<Listed>(dir, 'checkpoints', 'list', made.completed);
    expect(misfits(data, checkpointsList.data)).toEqual([]);
    const numbers = data.checkpoints.map(({ sequence_number }) => sequence_number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(data.checkpoints.map(({ step_name }) => step_name)).toEqual(
      expect.arrayContaining(['read', 'write']),
    );
    const { out } = await cli(dir, ['checkpoints', 'list', 'review login']);
    expect(out.trimEnd().split('\n')).toHaveLength(numbers.length);
    expect(out).toMatch(new RegExp(`^${made.completed.slice(-6)}-${numbers[0]} `));
    expect(out).toMatch(/ 90% .*\n$/);
  });

  test('checkpoints inspect shows one whole, by its short id', async () => {
    const { checkpoints } = await ask<Listed>(dir, 'checkpoints', 'list', made.completed);
    const { id, short } = checkpoints.find(({ step_name }) => step_name === 'write')!;
    const data = await ask<{ checkpoint: { id: string; context: object } }>(
      dir,
      'checkpoints',
      'inspect',
      short,
    );
    expect(misfits(data, checkpointsInspect.data)).toEqual([]);
    expect(data).toMatchObject({
      checkpoint: {
        id,
        step_name: 'write',
        context: {
          messages: [{ role: 'user', content: 'Review login.ts' }],
          decisions: [{ what: 'ask for tests' }],
        },
      },
      validation: { valid: true, problems: [] },
    });
    const { exit, out } = await cli(dir, ['checkpoints', 'inspect', id]);
    expect(exit).toBe(0);
    expect(out).toContain('user  Review login.ts');
    expect(out).toMatch(/^resumes after +\/write#1$/m);
    const ended = await ask<Listed>(dir, 'checkpoints', 'list', made.failed);
    const failed = await cli(dir, ['checkpoints', 'inspect', ended.checkpoints.at(-1)!.id]);
    expect(failed.out).toMatch(/^resumes with +\S/m);
    expect(out).toContain(
      'It is intact. Its task has ended; a new task can start from it with: vibe-engine fork',
    );
  });

  test('what is not there is said, with what is', async () => {
    const none = await cli(dir, ['checkpoints', 'inspect', `${made.failed.slice(-6)}-99`]);
    expect(none.exit).toBe(1);
    expect(none.err).toMatch(/^error CHECKPOINT_NOT_FOUND: .*\nhint: .*The task has \w{6}-\d+/);
    const noNumber = await cli(dir, ['checkpoints', 'inspect', made.failed]);
    expect(noNumber.err).toContain('is not the id of a checkpoint');
    const group = await cli(dir, ['checkpoints', 'lst', made.failed]);
    expect(group.exit).toBe(2);
    expect(group.err).toContain('Did you mean "checkpoints list"?');
    const alone = await cli(dir, ['checkpoints']);
    expect(alone.exit).toBe(0);
    expect(alone.out).toContain('Usage: vibe-engine checkpoints <command>');
  });
});
