/** What a user's rule takes out is nowhere in what is stored, and a resumed task sees what was. */
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { redacted } from '../../src/engine/api/redact.ts';
import { everythingIn, onEachStore } from './stores.ts';

const SECRET = 'sk-1234567890';
const redact = (text: string): string => text.replaceAll(SECRET, '[secret]');

const open = defineTask(
  'open',
  async (task, input: { token: string }) => {
    const seen = await task.step('use', () => ({ list: [`with ${input.token}`], big: SECRET.repeat(2000) }));
    await task.message('user', [{ text: input.token }]);
    await task.decide({ what: `Use ${input.token}`, why: 'given' });
    await task.set('token', new Map([['is', input.token]]));
    await task.tool('call', { token: input.token }, () => `got ${input.token}`);
    await task.agent('helper', {}, async () => `helped with ${input.token}`);
    const failed = await task
      .step('fail', () => Promise.reject(new Error(`no ${SECRET}`)), { retry: { attempts: 1 } })
      .catch((error: Error) => error.message);
    const answer = await task.waitFor('user_input', { prompt: `Is ${input.token} right?` });
    return { seen: seen.list[0], failed, answer };
  },
  { version: '1' },
);

onEachStore((fresh) => {
  test('nothing of it is stored, in whatever way it came', async () => {
    const store = await fresh();
    const engine = await store.open({ tasks: [open], hooks: { redact }, auto_save: true });
    const { id, outcome } = await engine.start(open, { token: SECRET });
    await expect.poll(async () => (await engine.state(id))?.status).toBe('waiting');
    await engine.answer(id, `yes, ${SECRET}`);
    const output = { seen: 'with [secret]', failed: 'no [secret]', answer: 'yes, [secret]' };
    expect((await outcome).status).toBe('completed');
    expect(await engine.output(id)).toEqual(output);
    expect(JSON.stringify(await engine.history(id))).toContain('[secret]');
    expect(JSON.stringify(await everythingIn(engine.storage))).not.toContain(SECRET);
  });
});

test('every text of a value is asked about, and nothing else is touched', () => {
  const date = new Date();
  const bytes = new Uint8Array([1]);
  const value = { a: ['x', 1, null, { b: 'x' }], date, bytes, set: new Set(['x']), none: undefined };
  expect(redacted(value, (text) => `${text}!`)).toEqual({
    ...{ a: ['x!', 1, null, { b: 'x!' }], date, bytes, set: new Set(['x!']), none: undefined },
  });
});
