/** Who is asked about conflicts of `task.files`, in which order, and what they are told. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/types.ts';
import type { FileWritten, TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Question } from '../../src/engine/api/prompter.ts';
import type { EngineOptions } from '../../src/engine/engine.ts';
import type { ConflictedFile } from '../../src/workspace/resolve/conflicted-file.ts';
import type { Resolver } from '../../src/workspace/resolve/resolver.ts';
import { git } from '../workspace/ground.ts';
import { latch } from './setup.ts';
import { onEachStore, type Store } from './stores.ts';

const TEXT = 'one\n2\n3\n4\n5\nsix\n';
const OURS = TEXT.replace('one', 'ours');
const THEIRS = TEXT.replace('one', 'theirs');

/** A task reads a file, others change the same line, and it writes. */
async function collide(
  { dir, open }: Store,
  options: EngineOptions,
  meanwhile: () => void = () => writeFileSync(join(dir, 'a.txt'), THEIRS),
): Promise<FileWritten> {
  writeFileSync(join(dir, 'a.txt'), TEXT);
  const engine = await open({ workspace: true, ...options });
  const collides = defineTask('collides', async ({ files }: TaskContext) => {
    await files.read('a.txt');
    meanwhile();
    return files.write('a.txt', OURS, { intent: 'to rename it' });
  });
  return engine.run(collides, undefined).finally(() => engine.close());
}

const resolver = (resolve: (file: ConflictedFile) => string | null): Resolver => ({
  name: 'given',
  resolve: async (file) => {
    const answer = resolve(file);
    return answer === null ? null : Buffer.from(answer);
  },
});

onEachStore(
  (fresh) => {
    const read = ({ dir }: Store, path = 'a.txt') => readFileSync(join(dir, path), 'utf8');

    test('they are asked about a rollback that meets lines which others changed too', async () => {
      const store = await fresh();
      writeFileSync(join(store.dir, 'a.txt'), TEXT);
      const asked: string[] = [];
      let answer: string | null = null;
      const given = resolver(({ ours, theirs, agent_intent }) => {
        asked.push([ours, theirs].map((side) => Buffer.from(side).toString().split('\n')[0]).join(' | '));
        asked.push(agent_intent);
        return answer;
      });
      const engine = await store.open({ workspace: { resolvers: [given] } });
      let start = '';
      const writes = defineTask('writes', async (task: TaskContext) => {
        start = await task.checkpoint();
        await task.files.write('a.txt', OURS);
        throw new Error('not what was wanted');
      });
      const { id, outcome } = await engine.start(writes, undefined);
      await outcome;
      writeFileSync(join(store.dir, 'a.txt'), OURS.replace('ours', 'ours, and a person'));
      const merge = { on_modified: 'merge' } as const;
      await expect(engine.rollback(start, merge)).rejects.toMatchObject({ code: 'RESTORE_UNANSWERED' });
      answer = TEXT.replace('one', 'one, and a person');
      const { files, notes } = await engine.rollback(start, merge);
      expect(asked.slice(0, 2)).toEqual([
        'one | ours, and a person',
        'to undo what the task did to this file',
      ]);
      expect([files, notes?.review]).toEqual([['a.txt'], ['a.txt']]);
      expect(read(store)).toBe(answer);
      expect(await engine.storage.list('resolutions')).toHaveLength(1);
      await engine.redo(id);
      expect(read(store)).toBe(OURS.replace('ours', 'ours, and a person'));
    });

    test('each is asked in turn: those given, the merge tool, the program, the user', async () => {
      const store = await fresh();
      const log = join(store.dir, '.vibe-engine-asked');
      const conflicts: ConfigInput['conflicts'] = {
        merge_tool: `echo tool >> ${log}; grep -q theirs {theirs} && exit 1`,
        resolver: `grep -q 'What the agent intends: to rename it' && echo program >> ${log}; exit 1`,
      };
      const questions: Question[] = [];
      const prompter = {
        ask: async (question: Question) => {
          questions.push(question);
          return 'theirs';
        },
      };
      const given = resolver(() => {
        writeFileSync(log, 'given\n');
        return null;
      });
      const config = { ...store.config, conflicts };
      const written = await collide(store, { config, prompter, workspace: { resolvers: [given] } });
      expect(written).toMatchObject({ status: 'resolved', by: 'user' });
      expect(readFileSync(log, 'utf8')).toBe('given\ntool\nprogram\n');
      expect(read(store)).toBe(THEIRS);
      expect(questions).toMatchObject([
        {
          kind: 'file_conflict',
          options: ['ours', 'theirs', 'leave'],
          message: expect.stringContaining('<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs'),
          data: {
            path: 'a.txt',
            conflicts: [{ base: 'one\n', ours: 'ours\n', theirs: 'theirs\n' }],
            agent_intent: 'to rename it',
          },
        },
      ]);
    });

    test('a merge tool and a program of the settings settle it', async () => {
      for (const [name, conflicts] of [
        ['sed', { merge_tool: 'sed s/ours/both/ {ours} > {merged}' }],
        ['printf', { resolver: `printf 'both\\n2\\n3\\n4\\n5\\nsix\\n'` }],
      ] as const) {
        const store = await fresh();
        const written = await collide(store, { config: { ...store.config, conflicts } });
        expect(written).toMatchObject({ status: 'resolved', by: name });
        expect(read(store)).toBe(TEXT.replace('one', 'both'));
      }
    });

    test('the user may leave it to the task, which finds both versions in a copy', async () => {
      const store = await fresh();
      const prompter = { ask: async () => 'leave' };
      const failed = await collide(store, { prompter }).then(
        () => null,
        (error) => error,
      );
      expect(failed).toMatchObject({
        code: 'FILE_CONFLICT',
        data: { attempts: [{ by: 'user', complaints: [] }] },
      });
      expect(read(store)).toBe(THEIRS);
    });

    test('guesses are offered to the user as such, and taken when chosen', async () => {
      const store = await fresh();
      const added = (word: string) => `${TEXT}${word}\n`;
      writeFileSync(join(store.dir, 'b.txt'), TEXT);
      const options: string[][] = [];
      const prompter = {
        ask: async (question: Question) => {
          options.push([...question.options]);
          return 'both added';
        },
      };
      const engine = await store.open({ workspace: true, prompter });
      const task = defineTask('adds', async ({ files }: TaskContext) => {
        await files.read('b.txt');
        writeFileSync(join(store.dir, 'b.txt'), added('theirs'));
        return files.write('b.txt', added('ours'));
      });
      expect(await engine.run(task, undefined)).toMatchObject({ status: 'resolved', by: 'user' });
      expect(options).toEqual([['ours', 'theirs', 'both added', 'leave']]);
      expect(read(store, 'b.txt')).toBe(`${TEXT}ours\ntheirs\n`);
    });

    test('what was resolved once is offered again, and applied where the settings say so', async () => {
      const store = await fresh();
      const seen: (string | undefined)[] = [];
      const settles = resolver(({ suggestions }) => {
        seen.push(suggestions.find(({ by }) => by === 'recorded')?.by);
        return TEXT.replace('one', 'settled');
      });
      for (let time = 0; time < 2; time++) await collide(store, { workspace: { resolvers: [settles] } });
      expect(seen).toEqual([undefined, 'recorded']);
      const config = { ...store.config, conflicts: { reuse_resolutions: true } };
      expect(await collide(store, { config })).toMatchObject({ status: 'resolved', by: 'recorded' });
      expect(read(store)).toBe(TEXT.replace('one', 'settled'));
    });

    test('an answer to a file that changed meanwhile is not taken: it is asked again', async () => {
      const store = await fresh();
      const asked: string[] = [];
      const slow = resolver(({ theirs }) => {
        asked.push(Buffer.from(theirs).toString().split('\n')[0]!);
        if (asked.length === 1) writeFileSync(join(store.dir, 'a.txt'), TEXT.replace('one', 'theirs, again'));
        return TEXT.replace('one', `ours and ${asked.at(-1)}`);
      });
      const written = await collide(store, { workspace: { resolvers: [slow] } });
      expect(written).toMatchObject({ status: 'resolved' });
      expect(asked).toEqual(['theirs', 'theirs, again']);
      expect(read(store)).toBe(TEXT.replace('one', 'ours and theirs, again'));
    });

    test('they are told why others changed it: by the commits that brought the lines, else by the change', async () => {
      for (const committed of [true, false]) {
        const store = await fresh();
        const { dir } = store;
        writeFileSync(join(dir, 'a.txt'), TEXT);
        git(dir, 'init', '-q');
        git(dir, 'add', 'a.txt');
        git(dir, 'commit', '-q', '-m', 'The beginning');
        const intents: string[] = [];
        const listens = resolver(({ inferred_external_intent }) => {
          intents.push(inferred_external_intent);
          return OURS;
        });
        await collide(store, { workspace: { resolvers: [listens] } }, () => {
          writeFileSync(join(dir, 'a.txt'), TEXT.replace('six', 'elsewhere'));
          if (committed) git(dir, 'commit', '-q', '-a', '-m', 'Something else');
          writeFileSync(join(dir, 'a.txt'), THEIRS.replace('six', 'elsewhere'));
          if (committed) git(dir, 'commit', '-q', '-a', '-m', 'Call it theirs');
        });
        expect(intents).toEqual([
          committed ? 'Call it theirs' : 'adds 2 lines and removes 2\n- one\n- six\n+ theirs\n+ elsewhere',
        ]);
      }
    });
  },
  ['json'],
);

describe('a conflict that was reported', () => {
  onEachStore((fresh) => {
    test('is reported again when the task is resumed, with where the copy is', async () => {
      const store = await fresh();
      writeFileSync(join(store.dir, 'a.txt'), TEXT);
      const reached = latch();
      let first = true;
      const run = async ({ files }: TaskContext) => {
        await files.read('a.txt');
        if (first) writeFileSync(join(store.dir, 'a.txt'), THEIRS);
        const error = await files.write('a.txt', OURS).catch((reason) => reason);
        if (first) {
          reached.resolve();
          await new Promise(() => {});
        }
        return { code: error.code, hint: error.hint, ...error.data };
      };
      const definition = defineTask('collides', run);
      const before = await store.open({ workspace: true });
      const { id } = await before.start(definition, undefined);
      await reached.promise;
      await before.close();
      first = false;
      const engine = await store.open({ workspace: true, tasks: [definition] });
      const told = (await (await engine.resume(id)).result) as { copy: string; hint: string };
      expect(told).toMatchObject({ code: 'FILE_CONFLICT', path: 'a.txt', conflicts: 1 });
      expect(readFileSync(told.copy, 'utf8')).toContain('ours\n');
      expect(told.hint).toContain(told.copy);
    });
  });
});
