/** Taking a task up again when something is not as it was: a record, the journal, the code, the environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { EventOf } from '../../src/engine/api/events.ts';
import type { Question } from '../../src/engine/api/prompter.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { liveCheckpoints, requireCheckpoint } from '../../src/engine/history/checkpoints.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { appended } from '../support/appended.ts';
import { deploy } from './deploy.ts';
import {
  checkpointAfter,
  checkpointsOf,
  finish,
  letters,
  liveOf,
  pausedAtQuestion,
  recordsOf,
  stepsOf,
  untilStatus,
} from './letters.ts';
import { collect, everythingIn, onEachStore } from './stores.ts';

function recoveriesOf(engine: Engine): EventOf<'recovery'>[] {
  const heard: EventOf<'recovery'>[] = [];
  engine.on('recovery', (event) => heard.push(event));
  return heard;
}

/** Changes a stored checkpoint, as a hand or a bad disk would. */
async function spoil({ storage }: Engine, task: string, key: string): Promise<void> {
  const data = { ...((await storage.load('tasks', key)) as object), step_name: 'another' };
  await storage.commit({ task, records: [{ category: 'tasks', key, data }] });
}

onEachStore((fresh, type) => {
  test('a damaged checkpoint is passed over for the one before it, and said so', async () => {
    const store = await fresh();
    const lines: string[] = [];
    const engine = await store.open({ notify: (more) => lines.push(...more) });
    const log: string[] = [];
    const task = await pausedAtQuestion(engine, letters(log), 'abc');
    // Records of their own: what the journal marks is as intact as the journal.
    for (let made = 0; made < 2; made++) await engine.checkpoints.createCheckpoint({ execution_id: task });
    const places = await liveCheckpoints(engine.storage, task);
    const ids = await checkpointsOf(engine, task);
    for (const { key } of places.slice(-2)) await spoil(engine, task, key!);
    const recoveries = recoveriesOf(engine);
    log.length = 0;
    expect(await finish(engine, task)).toBe('abc!');
    expect(log).toEqual([]);
    const notes = places.slice(-2).map(({ sequence }) => {
      return expect.stringMatching(`^Checkpoint ${sequence} was skipped: .* checksum does not match`);
    });
    expect(recoveries).toMatchObject([{ checkpoint: ids.at(-3), notes: notes.toReversed() }]);
    expect(lines).toEqual(expect.arrayContaining(notes));
    const entry = (await liveOf(engine, task)).find(({ entry }) => entry.t === 'recovery')?.entry;
    expect(entry).toMatchObject({ checkpoint: ids.at(-3), notes: notes.toReversed() });
  });

  test('a damaged journal is repaired: the task goes on from the last good entry', async () => {
    const store = await fresh();
    let engine = await store.open();
    const task = await pausedAtQuestion(engine, letters([]), 'abcd');
    // Stretches of the journal that do not count must not swallow what takes their numbers.
    await engine.rollback(await checkpointAfter(engine, task, 'b'));
    const { outcome } = await engine.resume(task);
    await untilStatus(engine, task, 'waiting');
    await engine.pause(task);
    await outcome;
    const step = (await liveOf(engine, task)).find(({ entry }) => entry.t === 'step' && entry.name === 'b')!;
    await engine.close();
    await store.damageEntry(task, step.seq);

    const log: string[] = [];
    engine = await store.open({ tasks: [letters(log)] });
    const recoveries = recoveriesOf(engine);
    expect(await finish(engine, task)).toBe('abcd!');
    expect(log).toEqual(['b', 'c', 'd']);
    expect(recoveries[0]!.notes.join('\n')).toMatch(/What was damaged is kept in /);
    await engine.close();
    engine = await store.open({ tasks: [letters(log)] });
    expect(await stepsOf(engine, task)).toEqual(['a', 'b', 'c', 'd']);
    // No checkpoint is left that stands for entries which are no more.
    const hashes = new Map((await collect(engine.storage.read(task))).map(({ seq, hash }) => [seq, hash]));
    for (const { journal } of await recordsOf(engine, task)) {
      expect(hashes.get(journal.seq)).toBe(journal.hash);
    }
  });

  test('an environment that is not as it was is asked about before anything is changed', async () => {
    const store = await fresh();
    const engine = await store.open();
    const working_dir = join(store.dir, 'work');
    mkdirSync(working_dir);
    const { id, outcome } = await engine.start(letters([]), 'abc', { working_dir });
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    rmSync(working_dir, { recursive: true });
    const before = await everythingIn(engine.storage);
    const target = await checkpointAfter(engine, id, 'a');

    const refusal = { code: 'NEEDS_ANSWER', message: expect.stringContaining(working_dir) };
    await expect(engine.resume(id)).rejects.toMatchObject(refusal);
    await expect(engine.retry(id, { step: 'b' })).rejects.toMatchObject(refusal);
    expect(await engine.recovery.resumeFromCheckpoint(target)).toMatchObject({
      success: false,
      error: refusal,
    });
    expect(await everythingIn(engine.storage)).toEqual(before);

    const asked: Question[] = [];
    const answering = (answer: string) => ({
      ask: async (question: Question) => {
        asked.push(question);
        return answer;
      },
    });
    await expect(engine.resume(id, { prompter: answering('abort') })).rejects.toMatchObject({
      code: 'ENVIRONMENT_CHANGED',
    });
    await expect(engine.resume(id, { on_environment: 'abort' })).rejects.toMatchObject({
      code: 'ENVIRONMENT_CHANGED',
    });
    expect(await everythingIn(engine.storage)).toEqual(before);
    expect(asked).toMatchObject([{ kind: 'environment', task: id, options: ['continue', 'abort'] }]);

    // Asked once, although going back and going on both look.
    const resumed = engine.recovery.resumeFromCheckpoint(target, undefined, {
      prompter: answering('continue'),
    });
    await untilStatus(engine, id, 'waiting');
    await engine.answer(id, '!');
    expect(await resumed).toMatchObject({ success: true, output: 'abc!' });
    expect(asked).toHaveLength(2);
  });

  test('an operation in progress when the process was killed is handed back as unknown', async () => {
    const store = await fresh();
    const id = 'killed';
    const program = fileURLToPath(new URL('./crash-child.ts', import.meta.url));
    const job = JSON.stringify({ dir: store.dir, config: store.config, id });
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, job], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await ended;

    const seen: unknown[] = [];
    const task = deploy((call) => {
      seen.push(call.unknown, call.attempt);
      return 'it was there already';
    });
    const engine = await store.open({ tasks: [task] });
    // On a server the dead owner is noticed when its lease runs out.
    if (type === 'postgres') await expect.poll(() => engine.storage.owner(id)).toBeNull();
    expect((await engine.state(id))?.status).toBe('in_progress');
    const recoveries = recoveriesOf(engine);
    const { tool_outputs } = (await (await engine.resume(id)).result) as Awaited<ReturnType<typeof task.run>>;
    expect(recoveries).toMatchObject([{ task: id, unknown: ['/tool:deploy#1'] }]);
    expect(seen).toEqual([
      { began_at: expect.any(String), attempt: 1, danger: 'external_api', files: null, snapshot: null },
      1,
    ]);
    expect(tool_outputs.map(({ tool, status }) => [tool, status])).toEqual([
      ['deploy', 'unknown'],
      ['deploy', 'success'],
    ]);
    expect(await stepsOf(engine, id)).toEqual(['build', 'tool:deploy']);
  });
});

describe('a task that died between its failure and its retry', () => {
  onEachStore(
    (fresh) => {
      test('is recovered as any other', async () => {
        const store = await fresh();
        const working_dir = join(store.dir, 'work');
        mkdirSync(working_dir);
        let fail = true;
        const failing = defineTask('failing', (task) =>
          task.step('a', () => {
            if (fail) throw new Error('no');
            return 'went well';
          }),
        );
        let engine = await store.open();
        const { id, outcome } = await engine.start(failing, undefined, { working_dir });
        await outcome;
        // The retry is written, and nothing after it.
        let dead = false;
        const storage: Storage = {
          ...engine.storage,
          commit: async (commit) => {
            if (dead) throw new Error('the process died before');
            dead = appended(commit).some((entry) => (entry as { t: string }).t === 'retry');
            return engine.storage.commit(commit);
          },
        };
        const dying = await openEngine({
          project_dir: store.dir,
          storage,
          tasks: [failing],
          automatic_cleanup: false,
        });
        expect(await (await dying.resume(id)).outcome).toMatchObject({ status: 'stopped' });
        await dying.close();
        expect((await engine.state(id))?.status).toBe('in_progress');
        await engine.close();
        rmSync(working_dir, { recursive: true });
        fail = false;
        engine = await store.open({ tasks: [failing] });
        await expect(engine.resume(id)).rejects.toMatchObject({ code: 'NEEDS_ANSWER' });
        const recoveries = recoveriesOf(engine);
        expect(await (await engine.resume(id, { on_environment: 'continue' })).result).toBe('went well');
        expect(recoveries).toHaveLength(1);
      });
    },
    ['sqlite'],
  );
});

describe('a journal that was repaired and has grown again', () => {
  onEachStore(
    (fresh) => {
      test('has other entries under the numbers that checkpoints from before stand for', async () => {
        const store = await fresh();
        let engine = await store.open();
        const task = await pausedAtQuestion(engine, letters([]), 'abcd');
        const ids = await checkpointsOf(engine, task);
        const step = (await liveOf(engine, task)).find(
          ({ entry }) => entry.t === 'step' && entry.name === 'b',
        )!;
        const records = await Promise.all(ids.map((id) => requireCheckpoint(engine.storage, id)));
        const before = records.filter(({ journal }) => journal.seq < step.seq);
        await engine.close();
        await store.damageEntry(task, step.seq);
        engine = await store.open({ tasks: [letters([])] });
        const { storage } = engine;
        await storage.repair(task);
        const progress = { t: 'progress', at: new Date().toISOString(), agent: '', percent: 1, note: null };
        const entries = Array.from({ length: 50 }, () => progress);
        await storage.commit({ task, append: { after: await storage.position(task), entries } });
        const recoveries = recoveriesOf(engine);
        expect(await finish(engine, task)).toBe('abcd!');
        expect(recoveries).toMatchObject([{ checkpoint: before.at(-1)!.id }]);
        expect(recoveries[0]!.notes).toEqual([
          expect.stringMatching(/after the damage: checkpoints .*, .*\. Kept as/),
        ]);
      });
    },
    ['sqlite'],
  );
});

describe('a changed definition', () => {
  const version = (n: number, log: string[]) =>
    defineTask(
      'versioned',
      async (task) => {
        await task.step('a', () => void log.push(`a${n}`));
        await task.waitFor('user_input');
        await task.step('b', () => void log.push(`b${n}`));
        return n;
      },
      { version: String(n) },
    );

  onEachStore(
    (fresh) => {
      for (const policy of ['pin', 'refuse', 'warn'] as const) {
        test(`is noticed before anything runs: ${policy}`, async () => {
          const store = await fresh();
          const log: string[] = [];
          const first = await store.open();
          const { id } = await first.start(version(1, log), undefined);
          await untilStatus(first, id, 'waiting');
          await first.close();
          log.length = 0;

          const lines: string[] = [];
          const config = { ...store.config, recovery: { on_definition_change: policy } };
          const engine = await store.open({
            config,
            tasks: [version(2, log)],
            notify: (more) => lines.push(...more),
          });
          await engine.answer(id, 'yes');
          const before = await everythingIn(engine.storage);
          const target = (await checkpointsOf(engine, id))[0]!;
          if (policy === 'warn') {
            expect(await (await engine.resume(id)).result).toBe(2);
            expect(lines[0]).toMatch(/is not what task .* was started with/);
            expect(log).toEqual(['b2']);
            return;
          }
          const error = { code: 'DEFINITION_CHANGED', data: { started_with: 'v:1', found: 'v:2' } };
          await expect(engine.resume(id)).rejects.toMatchObject(error);
          await expect(engine.retry(id, { step: 'a' })).rejects.toMatchObject(error);
          expect(await engine.recovery.resumeFromCheckpoint(target)).toMatchObject({ success: false, error });
          expect(await everythingIn(engine.storage)).toEqual(before);
          expect(log).toEqual([]);
          engine.register(version(1, log));
          expect(await (await engine.resume(id)).result).toBe(1);
          expect(log).toEqual(['b1']);
        });
      }
    },
    ['json'],
  );
});

describe('env_requirements', () => {
  onEachStore(
    (fresh) => {
      test('are held against the machine: tools with their versions, variables by name', async () => {
        const store = await fresh();
        const name = 'VIBE_TEST_REQUIRED';
        const needy = defineTask(
          'needy',
          async (task) => {
            await task.step('a', () => 1);
            return task.waitFor('user_input');
          },
          { env_requirements: { node: '>=24', [`env:${name}`]: 'set', 'no-such-tool-here': '*' } },
        );
        const engine = await store.open();
        const { id, outcome } = await engine.start(needy, undefined);
        await untilStatus(engine, id, 'waiting');
        await engine.pause(id);
        await outcome;
        const problems = async (): Promise<string> => {
          const error = await engine.resume(id).then(
            () => new Error('It was resumed.'),
            (error: Error) => error,
          );
          return error.message;
        };
        expect(await problems()).toMatch(new RegExp(`${name}.*no-such-tool-here|no-such-tool-here.*${name}`));
        process.env[name] = 'anything';
        try {
          expect(await problems()).not.toContain(name);
          expect(await problems()).toContain('no-such-tool-here');
        } finally {
          delete process.env[name];
        }
        const { result } = await engine.resume(id, { on_environment: 'continue' });
        await engine.answer(id, 'yes');
        expect(await result).toBe('yes');
      });
    },
    ['sqlite'],
  );
});
