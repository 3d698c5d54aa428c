/** Whatever a task throws ends it as failed, to be retried, and nothing of any length is kept of it. */
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

function throwing(member: string): Error {
  return Object.defineProperty(new Error('x'), member, {
    get() {
      throw new Error('from a getter');
    },
  });
}

function cyclic(): Error {
  const error = new Error('cyclic');
  error.cause = error;
  return error;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const trap = (): never => {
  throw new Error('from a trap');
};
const LONG = 'x'.repeat(20_000_000);

const ODD: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  undefined: () => undefined,
  'a symbol': () => Symbol('s'),
  'a function': () => trap,
  'a frozen error': () => Object.freeze(new Error('frozen')),
  ...Object.fromEntries(
    ['message', 'stack', 'name', 'code', 'recoverable', 'cause'].map((one) => [
      `a getter of ${one}`,
      () => throwing(one),
    ]),
  ),
  'what has no text': () => ({ toString: trap }),
  'what has no prototype': () => Object.create(null),
  'a proxy': () => new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap }),
  'a revoked proxy': revoked,
  'a cyclic cause': cyclic,
  'a name that is a symbol': () => Object.assign(new Error('x'), { name: Symbol('n') }),
  'a huge message': () => new Error(LONG),
  'a huge text': () => LONG,
  'a huge stack': () => Object.assign(new Error('x'), { stack: LONG }),
};

test.each(['body', 'step'])('thrown in the %s of a task', async (where) => {
  const engine = await openEngine({ project_dir: tempDir(), signals: false });
  const warnings: string[] = [];
  const hear = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', hear);
  for (const [name, make] of Object.entries(ODD)) {
    const task = defineTask(`throws ${name}`, async (t) => {
      if (where === 'body') throw make();
      await t.step('s', () => {
        throw make();
      });
    });
    const handle = await engine.start(task, undefined);
    handle.result.catch(() => {});
    expect((await handle.outcome).status, name).toBe('failed');
    const state = await engine.state(handle.id);
    if (state?.status !== 'failed') throw new Error(`${name}: ${state?.status}`);
    const { error_message, stack_trace, recoverable } = state.data;
    expect(error_message, name).not.toBe('');
    expect(error_message.length + (stack_trace?.length ?? 0), name).toBeLessThan(40_000);
    expect(recoverable, name).toBe(true);
  }
  await engine.close();
  process.off('warning', hear);
  expect(warnings).toEqual([]);
});
