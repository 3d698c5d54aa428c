/** A store that is not encrypted says once that it has received a secret. */
import { expect, test, vi } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { onEachStore } from './stores.ts';

const TOKEN = `gh${'p_'}${'aB3d'.repeat(9)}`;
const talks = defineTask('talks', async (task, words: string) => {
  await task.message('user', [{ type: 'text', text: words }]);
});

onEachStore((fresh) => {
  test('it says so once, for good', async () => {
    const store = await fresh();
    const notify = vi.fn();
    const told = () => notify.mock.calls.flat(2).filter((line) => /likely secret/.test(line)).length;
    const engine = await store.open({ tasks: [talks], notify });
    await engine.run(talks, 'nothing to hide');
    expect(told()).toBe(0);
    await engine.run(talks, `use ${TOKEN}`);
    await expect.poll(told).toBe(1);
    await engine.run(talks, `use ${TOKEN}`);
    const other = await store.open({ tasks: [talks], notify });
    await other.run(talks, `use ${TOKEN}`);
    await engine.run(talks, 'and so on');
    expect(told()).toBe(1);
    expect(JSON.stringify(notify.mock.calls)).not.toContain(TOKEN);
  });

  test('it says so before it closes', async () => {
    const store = await fresh();
    const notify = vi.fn();
    const engine = await store.open({ tasks: [talks], notify });
    await engine.run(talks, `use ${TOKEN}`);
    await engine.close();
    expect(notify.mock.calls.flat(2).filter((line) => /likely secret/.test(line))).toHaveLength(1);
  });

  test('what a rule takes out is nothing to speak of', async () => {
    const store = await fresh();
    const notify = vi.fn();
    const redact = (text: string) => text.replaceAll(TOKEN, '[token]');
    const engine = await store.open({ tasks: [talks], notify, hooks: { redact } });
    await engine.run(talks, `use ${TOKEN}`);
    await engine.run(talks, 'and so on');
    expect(notify.mock.calls.flat(2).filter((line) => /secret/.test(line))).toEqual([]);
    expect(await engine.storage.get('notices', 'secret-stored')).toBeNull();
  });

  test.each([[{}], [{ hooks: { redact: (text: string) => text } }]])(
    'a value that contains itself is refused as such',
    async (options) => {
      const store = await fresh();
      const loops = defineTask('loops', async (task) => {
        const loop: unknown[] = [];
        loop.push(loop, loop);
        await task.step('loop', () => loop);
      });
      const engine = await store.open({ tasks: [loops], ...options });
      await expect(engine.run(loops, undefined)).rejects.toMatchObject({ code: 'NOT_SERIALISABLE' });
    },
  );
});
