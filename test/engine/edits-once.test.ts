/** Going on from an older point makes no edit twice: the task's own later changes to files are taken back first. */
import { describe, expect, test } from 'vitest';
import type { StepContext, TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import { loadUnfinished, noteUnfinished } from '../../src/engine/task/records/rollback-in-progress.ts';
import { findStep } from '../../src/engine/task/step-search.ts';
import { recordsOf, stepsOf } from './letters.ts';
import { benches } from './setup.ts';
import { onEachStore } from './stores.ts';
import { adding, errorOf, groundIn } from './undo-ground.ts';

const bench = benches();
const START = 'one\ntwo\nthree\n';

/** Two edits, each with a step before it, then a failure until it is mended. */
function edits(state: { broken: boolean }) {
  return defineTask(
    'edits',
    async (task: TaskContext) => {
      await task.step('s1', () => 1);
      await task.files.edit('a.txt', adding('first'));
      await task.step('s2', () => 2);
      await task.shell('echo second >> a.txt');
      await task.step('end', () => {
        if (state.broken) throw new Error('not yet');
      });
    },
    { version: '1' },
  );
}
const ONCE = `${START}first\nsecond\n`;

async function failed(
  open: (task: ReturnType<typeof edits>) => ReturnType<ReturnType<typeof bench>['open']>,
) {
  const state = { broken: true };
  const engine = await open(edits(state));
  const { id, outcome } = await engine.start(edits(state), undefined);
  expect((await outcome).status).toBe('failed');
  state.broken = false;
  const records = await recordsOf(engine, id);
  const made = (step: string) =>
    records.find(({ step_name, trigger }) => step_name === step && trigger === 'after_step')!.id;
  return { engine, id, state, made };
}

async function inBench(notify: (lines: readonly string[]) => void = () => {}) {
  const at = bench();
  const ground = groundIn(at.dir, { 'a.txt': START });
  const more = { workspace: true, automatic_cleanup: false, notify } as const;
  return { ...ground, ...(await failed((task) => at.open({ ...more, tasks: [task] }))) };
}

onEachStore((fresh) => {
  test.each(['s1', 's2'])('resumed from the checkpoint after %s', async (step) => {
    const store = await fresh();
    const { read } = groundIn(store.dir, { 'a.txt': START });
    const { engine, made } = await failed((task) => store.open({ workspace: true, tasks: [task] }));
    expect(read('a.txt')).toBe(ONCE);
    await (await engine.resumeFrom(made(step))).result;
    expect(read('a.txt')).toBe(ONCE);
  });
});

test.each(['s1', 's2', 'end'])('retried from step %s, which is between checkpoints', async (step) => {
  const { engine, id, read } = await inBench();
  await (await engine.retry(id, { step })).result;
  expect(read('a.txt')).toBe(ONCE);
  expect(await engine.undo(id)).toMatchObject({ files: ['a.txt'] });
  expect(read('a.txt')).toBe(START);
});

test('by the API that answers results', async () => {
  const { engine, id, read, made } = await inBench();
  expect(await engine.recovery.resumeFromCheckpoint(made('s1'))).toMatchObject({ success: true });
  expect(read('a.txt')).toBe(ONCE);
  const again = await inBench();
  expect(await again.engine.recovery.retryFromStep(again.id, 's1')).toMatchObject({ success: true });
  expect(again.read('a.txt')).toBe(ONCE);
  expect(await stepsOf(engine, id)).toHaveLength(5);
});

test('it says which files it took back', async () => {
  const heard: string[] = [];
  const { engine, made } = await inBench((lines) => heard.push(...lines));
  await (await engine.resumeFrom(made('s1'))).result;
  expect(heard.join('\n')).toContain('Undone first, because these steps run again: a.txt.');
  expect(heard.join('\n')).not.toContain('not by the task');
});

describe('others', () => {
  test.each(['resumeFrom', 'retry'] as const)(
    '%s keeps what a person did to the same file, merged',
    async (verb) => {
      const { engine, id, made, read, write } = await inBench();
      write('a.txt', `zero\n${read('a.txt')}`);
      write('theirs.txt', 'theirs\n');
      const go = (options: object) =>
        verb === 'retry'
          ? engine.retry(id, { step: 's1', ...options })
          : engine.resumeFrom(made('s1'), options);
      expect((await errorOf(go({}))).code).toBe('RESTORE_UNANSWERED');
      expect(read('a.txt')).toBe(`zero\n${ONCE}`);
      expect((await engine.state(id))?.status).toBe('failed');
      await (await go({ on_modified: 'merge' })).result;
      expect(read('a.txt')).toBe(`zero\n${ONCE}`);
      expect(read('theirs.txt')).toBe('theirs\n');
    },
  );

  test.each(['resumeFrom', 'retry'] as const)(
    '%s that is refused because of one file has merged no other',
    async (verb) => {
      const at = bench();
      const { read, write } = groundIn(at.dir, { 'a.txt': START, 'b.txt': START });
      const task = defineTask('two files', async (task: TaskContext) => {
        await task.files.edit('b.txt', adding('kept'));
        await task.step('s1', () => 1);
        await task.files.edit('a.txt', adding('first'));
        await task.step('end', () => Promise.reject(new Error('not yet')));
      });
      const engine = await at.open({ workspace: true, automatic_cleanup: false, tasks: [task] });
      const { id, outcome } = await engine.start(task, undefined);
      await outcome;
      write('b.txt', `zero\n${START}`);
      write('a.txt', `${START}FIRST\n`);
      const after = (await recordsOf(engine, id)).find((one) => one.step_name === 's1')!;
      const options = { on_modified: 'merge' } as const;
      const refused =
        verb === 'retry'
          ? engine.retry(id, { step: 's1', ...options })
          : engine.resumeFrom(after.id, options);
      expect((await errorOf(refused)).code).toBe('RESTORE_UNANSWERED');
      expect([read('a.txt'), read('b.txt')]).toEqual([`${START}FIRST\n`, `zero\n${START}`]);
      const going = { files: { 'a.txt': 'use_checkpoint' }, ...options } as const;
      const run = await (verb === 'retry'
        ? engine.retry(id, { step: 's1', ...going })
        : engine.resumeFrom(after.id, going));
      await run.outcome;
      expect([read('a.txt'), read('b.txt')]).toEqual([`${START}first\n`, `zero\n${START}kept\n`]);
    },
  );

  test('a person is asked about a file once', async () => {
    const { engine, made, read, write } = await inBench();
    write('a.txt', `zero\n${read('a.txt')}`);
    const asked: string[] = [];
    const prompter = {
      ask: async ({ message }: { message: string }) => {
        asked.push(message);
        return 'merge';
      },
    };
    await (await engine.resumeFrom(made('s1'), { prompter })).result;
    expect(asked).toHaveLength(1);
    expect(read('a.txt')).toBe(`zero\n${ONCE}`);
  });
});

test('a run that cannot start leaves task and files as they were', async () => {
  const at = bench();
  const { read } = groundIn(at.dir, { 'a.txt': START });
  let veto = false;
  const beforeRecovery = () => (veto ? { veto: 'not today' } : undefined);
  const { engine, id, made } = await failed((task) =>
    at.open({ workspace: true, automatic_cleanup: false, tasks: [task], hooks: { beforeRecovery } }),
  );
  const steps = await stepsOf(engine, id);
  veto = true;
  for (const go of [() => engine.resumeFrom(made('s1')), () => engine.retry(id, { step: 's1' })]) {
    expect((await errorOf(go())).code).toBe('HOOK_VETO');
    expect(read('a.txt')).toBe(ONCE);
    expect(await stepsOf(engine, id)).toEqual(steps);
    expect((await engine.state(id))?.status).toBe('failed');
  }
  veto = false;
  await (await engine.retry(id)).result;
  expect(read('a.txt')).toBe(ONCE);
});

describe('a step that failed when it had changed files', () => {
  async function half() {
    const at = bench();
    const ground = groundIn(at.dir, { 'a.txt': START });
    const task = defineTask(
      'half',
      async (context) => {
        await context.files.edit('a.txt', adding('first'));
        await context.step(
          'half',
          () => {
            ground.write('a.txt', adding('half')(ground.read('a.txt')!));
            if (ground.read('ready') === null) throw new Error('not yet');
          },
          { dangerous: 'file_change' },
        );
      },
      { version: '1' },
    );
    const engine = await at.open({ workspace: true, automatic_cleanup: false, tasks: [task] });
    const { id, outcome } = await engine.start(task, undefined);
    expect((await outcome).status).toBe('failed');
    expect(ground.read('a.txt')).toBe(`${START}first\nhalf\n`);
    return { engine, id, ...ground };
  }

  test('is resumed from where it began', async () => {
    const { engine, id, read, write } = await half();
    write('ready', '');
    await (await engine.resume(id)).result;
    expect(read('a.txt')).toBe(`${START}first\nhalf\n`);
  });

  test('keeps what a person did to the file since', async () => {
    const { engine, id, read, write } = await half();
    write('ready', '');
    write('a.txt', `zero\n${read('a.txt')}`);
    expect((await errorOf(engine.retry(id))).code).toBe('RESTORE_UNANSWERED');
    expect((await engine.state(id))?.status).toBe('failed');
    await (await engine.retry(id, { on_modified: 'merge' })).result;
    expect(read('a.txt')).toBe(`zero\n${START}first\nhalf\n`);
  });

  test.each([{}, { step: 'half' }, { attempts: 2 }])(
    'is retried from where it began: %o',
    async (options) => {
      const { engine, id, read, write } = await half();
      if (!('attempts' in options)) write('ready', '');
      const { outcome } = await engine.retry(id, { first_delay_ms: 1, ...options });
      await outcome;
      expect(read('a.txt')).toBe(`${START}first\nhalf\n`);
    },
  );
});

test('cut off while files were taken back for a retry, the next run finishes that and makes no edit twice', async () => {
  const { engine, id, read } = await inBench();
  const head = (await loadHead(engine.storage, id))!;
  const { cut } = await findStep(engine.storage, head, 's1');
  const claim = await engine.storage.claim(id);
  // As a process leaves it that dies after it has noted what it is about to do.
  await noteUnfinished(engine.storage, claim, {
    checkpoint: null,
    cut,
    reason: 'rolled back to before s1',
    only: null,
    before: (await recordsOf(engine, id)).at(-1)!.snapshot!,
    on_modified: 'ask',
    on_deleted: 'ask',
    answers: {},
  });
  await claim.release();
  await (await engine.resume(id)).result;
  expect(read('a.txt')).toBe(ONCE);
  expect(await loadUnfinished(engine.storage, id)).toBeNull();
});

test('in a fork, from a step that its parent ran in the same workspace', async () => {
  const at = bench();
  const { read } = groundIn(at.dir, { 'a.txt': START });
  const state = { broken: true };
  const task = edits(state);
  const engine = await at.open({ workspace: true, automatic_cleanup: false, tasks: [task] });
  const { id, outcome } = await engine.start(task, undefined);
  await outcome;
  const fork = await engine.fork((await recordsOf(engine, id)).at(-1)!.id);
  state.broken = false;
  await (await engine.retry(fork.id, { step: 's1' })).result;
  expect(read('a.txt')).toBe(ONCE);
});

test('begun again on what it had done when it was cut off, it is still cut off when resumed from there', async () => {
  const at = bench();
  const { read, write } = groundIn(at.dir, { 'a.txt': START });
  let hang = true;
  let reached = (): void => {};
  const byHand = defineTask(
    'by hand',
    async (task: TaskContext) => {
      const work = async ({ unknown }: Pick<StepContext, 'unknown'>): Promise<void> => {
        if (!unknown || !read('a.txt')!.includes('mine')) write('a.txt', `${read('a.txt')}mine\n`);
        reached();
        if (hang) await new Promise(() => {});
      };
      await task.step('edit', work, { dangerous: 'file_change' });
      throw new Error('not yet');
    },
    { version: '1' },
  );
  const cutOff = async (begin: (engine: Engine) => Promise<unknown>): Promise<void> => {
    const inside = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const engine = await at.open({ workspace: true, automatic_cleanup: false, tasks: [byHand] });
    await begin(engine);
    await inside;
    await engine.close();
  };
  const kept = { on_modified: 'use_current' } as const;
  await cutOff((engine) => engine.start(byHand, undefined, { task_id: 'cut' }));
  await cutOff((engine) => engine.resume('cut', kept));
  hang = false;
  const engine = await at.open({ workspace: true, automatic_cleanup: false, tasks: [byHand] });
  await (await engine.resume('cut', kept)).outcome;
  const again = (await recordsOf(engine, 'cut')).filter(({ trigger }) => trigger.startsWith('before_'))[1]!;
  await (await engine.resumeFrom(again.id)).outcome;
  expect(read('a.txt')).toBe(`${START}mine\n`);
});
