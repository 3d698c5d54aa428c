/** Questions of one process are answered in another: by commands that race, and by a person at a terminal. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { conflictsResolve } from '../../src/verbs/change/conflicts-resolve.ts';
import { questionsAnswer } from '../../src/verbs/change/questions-answer.ts';
import { conflictsShow } from '../../src/verbs/look/conflicts-show.ts';
import { questions } from '../../src/verbs/look/questions.ts';
import { onEachStore } from '../engine/stores.ts';
import { until } from '../support/until.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli, command } from './cli.ts';
import { atTerminal } from './terminal.ts';
import { configure } from './world.ts';

/** Writes a file whose same lines others have just changed. */
const TASK = `import { defineTask } from 'vibe-engine';
import { writeFileSync } from 'node:fs';
export default defineTask('collides', async (task) => {
  await task.files.read('a.txt');
  await task.step('others', () => writeFileSync('a.txt', 'theirs\\n2\\n3\\n4\\n5\\ntheirs too\\n'));
  return (await task.files.write('a.txt', 'ours\\n2\\n3\\n4\\n5\\nours too\\n')).status;
});
`;

interface Listed {
  readonly questions: readonly { id: string; short: string; task: string; kind: string; conflict: boolean }[];
}

onEachStore(
  (fresh) => {
    const project = async (): Promise<string> => {
      const store = await fresh();
      configure(store);
      writeFileSync(join(store.dir, 'collides.ts'), TASK);
      writeFileSync(join(store.dir, 'a.txt'), 'one\n2\n3\n4\n5\nsix\n');
      return store.dir;
    };

    const asked = (dir: string): Promise<Listed['questions'][number]> =>
      until(async () => {
        const found = await ask<Listed>(dir, 'questions');
        expect(misfits(found, questions.data)).toEqual([]);
        expect(found.questions).toHaveLength(1);
        return found.questions[0]!;
      });

    test('one of three commands that answer at once wins, and the others say who did', async () => {
      const dir = await project();
      const running = command(dir, ['run', 'collides.ts', '--wait-for-answers', '--json']);
      const { id, short } = await asked(dir);
      const { out: listed } = await cli(dir, ['questions']);
      for (const value of ['ours', 'theirs'])
        expect(listed).toContain(`    vibe-engine questions answer ${short} ${id} ${value}\n`);
      const choices = ['ours', 'theirs', 'ours'];
      const answers = await Promise.all(
        choices.map((value, n) =>
          command(dir, ['questions', 'answer', short, id, value, '--by', `tab ${n}`, '--json']),
        ),
      );
      const won = answers.findIndex(({ exit }) => exit === 0);
      expect(misfits(JSON.parse(answers[won]!.out).data, questionsAnswer.data)).toEqual([]);
      for (const [n, { exit, out }] of answers.entries()) {
        if (n === won) continue;
        expect([exit, JSON.parse(out)]).toMatchObject([
          1,
          { error: { code: 'QUESTION_ANSWERED', data: { by: `tab ${won}`, value: choices[won] } } },
        ]);
      }
      const { exit, out, err } = await running;
      expect([exit, JSON.parse(out).data.output]).toEqual([0, 'resolved']);
      expect(err).toMatch(/Waiting for an answer: vibe-engine questions answer \w+ q\w+/);
      expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe(
        `${choices[won]}\n2\n3\n4\n5\n${choices[won]} too\n`,
      );
    });
  },
  ['json', 'sqlite'],
);

onEachStore(
  (fresh) => {
    const project = async (): Promise<string> => {
      const store = await fresh();
      configure(store);
      writeFileSync(join(store.dir, 'collides.ts'), TASK);
      writeFileSync(join(store.dir, 'a.txt'), 'one\n2\n3\n4\n5\nsix\n');
      return store.dir;
    };

    test('a question at a terminal goes away when it is resolved elsewhere, hunk by hunk', async () => {
      const dir = await project();
      const resolve = async (): Promise<void> => {
        const { questions: open } = await ask<Listed>(dir, 'questions', 'collides');
        const { id } = open[0]!;
        const shown = await ask<{ hunks: unknown[]; conflicts: number }>(
          dir,
          'conflicts',
          'show',
          'collides',
          id,
        );
        expect(misfits(shown, conflictsShow.data)).toEqual([]);
        expect(shown).toMatchObject({
          path: 'a.txt',
          conflicts: 2,
          hunks: [
            { index: 1, kind: 'conflict', base: 'one\n', ours: 'ours\n', theirs: 'theirs\n' },
            { index: null, kind: 'same', text: '2\n3\n4\n5\n' },
            { index: 2, kind: 'conflict', base: 'six\n', ours: 'ours too\n', theirs: 'theirs too\n' },
          ],
        });
        const { out } = await cli(dir, ['conflicts', 'show', 'collides', id]);
        expect(out).toContain('a.txt: 2 conflicts\nConflict 1\n  ours (the task)\n  │ ours\n');
        const half = await cli(dir, ['conflicts', 'resolve', 'collides', id, '--hunk', '1=both']);
        expect([half.exit, half.err]).toEqual([
          2,
          expect.stringContaining('Nothing is decided for conflict 2 of a.txt.'),
        ]);
        const both = ['--hunk', '1=both', '--hunk', '2=base'];
        const done = await ask(dir, 'conflicts', 'resolve', 'collides', id, ...both, '--by', 'page');
        expect(misfits(done, conflictsResolve.data)).toEqual([]);
      };
      const { exit, screen } = await atTerminal(
        dir,
        ['run', 'collides.ts'],
        [{ when: /Which version should be kept[\s\S]*leave/, type: () => void resolve() }],
      );
      expect(screen).toContain('Answered by page: resolved');
      expect(exit).toBe(0);
      expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('ours\ntheirs\n2\n3\n4\n5\nsix\n');
    });

    test('without a terminal, and without waiting, nobody is asked, as before', async () => {
      const dir = await project();
      const { exit, err } = await command(dir, ['run', 'collides.ts']);
      expect(exit).toBe(1);
      expect(err + readFileSync(join(dir, 'a.txt'), 'utf8')).toContain('theirs');
      expect((await ask<Listed>(dir, 'questions')).questions).toEqual([]);
    });
  },
  ['json'],
);
