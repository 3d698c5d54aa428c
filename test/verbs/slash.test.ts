import { beforeAll, describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { handleSlashCommand } from '../../src/index.ts';
import { VERBS } from '../../src/verbs/verbs.ts';
import { populate, type Tasks } from '../cli/world.ts';
import { onEachStore, type Store } from '../engine/stores.ts';
import { until } from '../support/until.ts';

onEachStore(
  (fresh) => {
    let open: Store['open'];
    let made: Tasks;
    beforeAll(async () => {
      const store = await fresh();
      made = await populate(store);
      open = store.open;
    });

    describe('slash commands', () => {
      test('give the data and the lines of the same verbs', async () => {
        const answer = await handleSlashCommand('/tasks --status failed', await open());
        expect(answer).toMatchObject({ ok: true, data: { tasks: [{ id: made.failed }] } });
        expect(answer.lines).toHaveLength(1);
        expect(answer.lines[0]).toContain('the API answered 503');
        const shown = await handleSlashCommand(`/show ${made.paused.slice(-6)}`, await open());
        expect(shown.lines).toContain(`  /resume ${made.paused.slice(-6)}`);
      });

      test('answer errors with code and hint, in the language asked for', async () => {
        const engine = await open();
        expect(await handleSlashCommand('/shwo x', engine)).toMatchObject({
          ok: false,
          error: {
            code: 'USAGE',
            message: 'There is no command "shwo".',
            hint: expect.stringContaining('"show"'),
          },
        });
        const { lines } = await handleSlashCommand('/show nothing', engine, { language: 'zh-Hant' });
        expect(lines[0]).toBe('錯誤 TASK_NOT_FOUND：這裡沒有任務「nothing」。');
        expect(await handleSlashCommand('tasks', engine)).toMatchObject({
          ok: false,
          error: { code: 'USAGE' },
        });
      });

      test('stop a task, answer it, go on with it and take it back, by the code the engine has', async () => {
        const greet = defineTask('greet', async (task) => {
          await task.step('think', () => 'hello');
          return task.waitFor<string>('user_input', { prompt: 'Whom?' });
        });
        const engine = await open({ tasks: [greet] });
        const slash = (line: string) => handleSlashCommand(line, engine);
        const status = async () => (await engine.state(id))?.status;
        const { id, outcome } = await engine.start(greet, undefined);
        await until(async () => expect(await status()).toBe('waiting'));
        expect(await slash('/pause greet')).toMatchObject({ ok: true });
        expect(await outcome).toMatchObject({ status: 'paused' });

        const went = await slash('/resume greet');
        expect(went).toMatchObject({ ok: true, data: { task: id, status: 'in_progress' } });
        expect(went.lines).toEqual([`Task ${id.slice(-6)} is running.`]);
        await until(async () => expect(await status()).toBe('waiting'));
        await slash('/pause greet');
        await until(async () => expect(await status()).toBe('paused'));
        const { checkpoints } = (
          (await slash('/checkpoints list greet')) as { data: { checkpoints: { short: string }[] } }
        ).data;
        // It is paused before its run has let go of it.
        const resume = `/checkpoints resume ${checkpoints[0]!.short}`;
        await until(async () => expect(await slash(resume)).toMatchObject({ ok: true }));
        await until(async () => expect(await status()).toBe('waiting'));
        expect(await slash('/answer greet "the world"')).toMatchObject({ ok: true });
        await until(async () => expect(await status()).toBe('completed'));
        expect(await engine.output(id)).toBe('the world');

        expect(await slash('/resume deploy')).toMatchObject({ ok: false, error: { code: 'TASK_UNKNOWN' } });
        expect(await slash('/retry fetch-issues --file x.ts')).toMatchObject({
          ok: false,
          error: { code: 'USAGE', message: 'Code cannot be loaded from a file here.' },
        });
      });

      test('have help', async () => {
        const engine = await open();
        const all = await handleSlashCommand('/', engine);
        expect(all.lines.join('\n')).toMatch(/Usage: \/<command>[\s\S]* {2}tasks +list the tasks/);
        for (const [name, load] of VERBS) {
          const one = await handleSlashCommand(`/${name} --help`, engine);
          expect(one.lines[0]).toMatch(`Usage: /${(await load()).name}`);
        }
      });
    });
  },
  ['json', 'sqlite'],
);
