/** Commands that show what happened to a task. */
import { beforeAll, expect, test } from 'vitest';
import { conversation } from '../../src/verbs/past/conversation.ts';
import { entry } from '../../src/verbs/past/entry.ts';
import { timeline } from '../../src/verbs/past/timeline.ts';
import { tree } from '../../src/verbs/past/tree.ts';
import { onEachStore } from '../engine/stores.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';
import { populate, type Tasks } from './world.ts';

onEachStore(
  (fresh) => {
    let dir = '';
    let made: Tasks;
    beforeAll(async () => {
      const store = await fresh();
      dir = store.dir;
      made = await populate(store);
    });

    test('timeline draws the thread and lists what happened', async () => {
      const data = await ask<{ rows: { name: string; status: string }[] }>(dir, 'timeline', made.failed);
      expect(misfits(data, timeline.data)).toEqual([]);
      expect(data.rows.map(({ name, status }) => [name, status])).toEqual([
        ['in_progress', 'success'],
        ['sign in', 'success'],
        ['fetch', 'failed'],
        ['failed', 'failed'],
      ]);
      const failed = await cli(dir, ['timeline', 'fetch-issues', '--failed']);
      expect(failed.out).toMatch(/^ {2}●─.*─✗\n/m);
      expect(failed.out).toMatch(/✗ +fetch .*the API answered 503/);
      expect(failed.out).not.toContain('sign in');
      expect((await cli(dir, ['timeline', 'deploy'])).out).toMatch(
        /─◆(─○)*\n.*asked: Deploy to production\?/,
      );
      expect((await cli(dir, ['timeline', 'migrate'])).out).toMatch(/ϟ\n.*Nobody has taken it up yet/);
      expect((await cli(dir, ['timeline', made.queued])).out).toBe('Nothing was recorded yet.\n');
      const none = await cli(dir, ['timeline', 'deploy', '--agent', 'mian']);
      expect(none.err).toContain('Did you mean "main"?');
    });

    test('entry shows one of the journal whole, conversation what was said', async () => {
      const said = await ask<{ total: number; messages: { seq: number; role: string; text: string }[] }>(
        dir,
        'conversation',
        made.completed,
      );
      expect(misfits(said, conversation.data)).toEqual([]);
      expect(said.messages.map(({ role, text }) => [role, text])).toEqual([
        ['user', 'Review login.ts'],
        ['decision', 'ask for tests'],
      ]);
      const { seq } = said.messages[0]!;
      const found = await ask<{ value: { content: string } }>(dir, 'entry', made.completed, String(seq));
      expect(misfits(found, entry.data)).toEqual([]);
      expect(found).toMatchObject({ kind: 'message', value: { content: 'Review login.ts' }, dead: false });
      expect((await cli(dir, ['conversation', 'review login'])).out).toMatch(
        /^user .*\n {2}Review login\.ts\n/,
      );
      expect((await cli(dir, ['entry', made.completed, '999'])).err).toContain('Its last entry is');
      expect((await cli(dir, ['entry', made.completed, 'x'])).err).toContain('is not the number of an entry');
    });

    test('tree draws what was forked from what', async () => {
      expect((await cli(dir, ['tree'])).out).toBe('Nothing was forked here yet.\n');
      const { rows } = await ask<{ rows: { name: string; checkpoint: string }[] }>(
        dir,
        'timeline',
        made.paused,
      );
      const { checkpoint } = rows.find(({ name }) => name === 'plan')!;
      const fork = await ask<{ task: string; short: string }>(dir, 'fork', checkpoint, '--name', 'other way');
      const data = await ask<{ roots: object[] }>(dir, 'tree', fork.task);
      expect(misfits(data, tree.data)).toEqual([]);
      expect(data.roots).toMatchObject([
        {
          task: made.paused,
          steps: 1,
          children: [{ task: fork.task, name: 'other way', checkpoint, steps: 0 }],
        },
      ]);
      const { out } = await cli(dir, ['tree']);
      expect(out).toMatch(new RegExp(`└─ ‖ ${fork.short} {2}other way\n.*from checkpoint`));
    });
  },
  ['json'],
);
