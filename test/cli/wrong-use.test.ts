/** Every command asked for in the wrong way: whatever is mistyped is refused with the nearest right word, and as JSON too. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { COMMON } from '../../src/cli/common/options.ts';
import { runCli } from '../../src/cli/run.ts';
import { CLI_VERBS } from '../../src/cli/verbs.ts';
import { allVerbs } from '../../src/verbs/kit/registry.ts';
import type { Verb } from '../../src/verbs/kit/verb.ts';
import { onEachStore } from '../engine/stores.ts';
import { populate, type Tasks } from './world.ts';

const verbs = await allVerbs(CLI_VERBS);

/** With two letters swapped, or the last one gone where there is nothing to swap. */
function mistyped(word: string): string {
  const at = [...word].findIndex(
    (letter, index) => index > 0 && index + 1 < word.length && letter !== word[index + 1],
  );
  return at < 0 ? word.slice(0, -1) : word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
}

onEachStore(
  (fresh) => {
    let dir: string;
    let made: Tasks;
    beforeAll(async () => {
      const store = await fresh();
      dir = store.dir;
      made = await populate(store);
      writeFileSync(join(dir, 'task.ts'), 'export default 1;\n');
    });
    afterEach(() => vi.unstubAllEnvs());

    const cli = async (args: readonly string[]) => {
      let out = '';
      let err = '';
      const exit = await runCli(args, {
        ...{ env: {}, cwd: dir, screen: null, interactive: false },
        out: (text) => {
          out += text;
        },
        err: (text) => {
          err += text;
        },
      });
      return { exit, out, err };
    };
    /** Refused in words and as a document, with the same code. */
    const refused = async (args: readonly string[], code: string, meant: string | null) => {
      const { exit, err } = await cli(args);
      const said = `${args.join(' ')}: ${err}`;
      expect(exit, said).toBe(code === 'USAGE' ? 2 : 1);
      expect(err, said).toMatch(new RegExp(`^error ${code}: `));
      if (meant !== null) expect(err, said).toContain(`"${meant}"?`);
      const at = args.includes('--') ? args.indexOf('--') : args.length;
      const { out } = await cli([...args.slice(0, at), '--json', ...args.slice(at)]);
      expect(JSON.parse(out), said).toMatchObject({
        vibe_engine: 1,
        ok: false,
        error: { code, hint: expect.stringMatching(/\S/) },
      });
    };

    describe.each(verbs.map((verb) => [verb.name, verb] as const))('%s', (name, verb) => {
      const words = name.split(' ');
      const options = Object.entries(verb.options);
      /** Enough to get to what is wrong. */
      const given = (except?: string): string[] =>
        Object.entries(verb.arguments).flatMap(([argument, { optional, of, choices }]) => {
          if (argument === except || optional) return [];
          const task = made.paused.slice(-6);
          return [choices?.[0] ?? (of === 'task' ? task : of === 'checkpoint' ? `${task}-1` : 'x')];
        });

      test('its name', async () => {
        const wrong = [...words.slice(0, -1), mistyped(words.at(-1)!)];
        await refused(wrong, 'USAGE', name);
      });

      test('its options, and those of every command', async () => {
        for (const flag of [...options.map(([flag]) => flag), ...Object.keys(COMMON)])
          await refused([...words, `--${mistyped(flag)}`, ...given()], 'USAGE', `--${flag}`);
      });

      test('what its options take', async () => {
        for (const [flag, { choices, number, value, bare }] of options) {
          if (choices) {
            // In `path=choice` the path may be anything.
            const [choice, path = ''] = choices[0]!.split('=').reverse();
            const wrong = path === '' ? mistyped(choice!) : `${path}=${mistyped(choice!)}`;
            await refused([...words, `--${flag}`, wrong, ...given()], 'USAGE', choices[0]!);
          }
          if (choices) continue;
          if (number) await refused([...words, `--${flag}`, 'few', ...given()], 'USAGE', null);
          else if (value === undefined) await refused([...words, `--${flag}=yes`, ...given()], 'USAGE', null);
          else if (bare === undefined) await refused([...words, ...given(), `--${flag}`], 'USAGE', null);
        }
      });

      test('its arguments', async () => {
        const all = Object.entries(verb.arguments);
        for (const [argument, { optional, of, choices }] of all) {
          if (!optional && all.length === 1) await refused(words, 'USAGE', null);
          const short = made.paused.slice(-6);
          const wrong = mistyped(short);
          const before = all
            .slice(
              0,
              all.findIndex(([other]) => other === argument),
            )
            .flatMap(() => [`${short}-1`]);
          const after = all
            .slice(all.findIndex(([other]) => other === argument) + 1)
            .flatMap(([, of]) => (of.optional ? [] : ['x']));
          if (of === 'task' && name !== 'conversations')
            await refused([...words, ...before, wrong, ...after], 'TASK_NOT_FOUND', short);
          if (of === 'checkpoint')
            await refused([...words, ...before, `${wrong}-1`, ...after], 'TASK_NOT_FOUND', short);
          if (choices) await refused([...words, mistyped(choices[0]!)], 'USAGE', choices[0]!);
        }
        if (!all.some(([, { many }]) => many))
          await refused([...words, ...all.map(() => 'x'), 'one-more'], 'USAGE', null);
      });
    });

    test('settings and their values', async () => {
      await refused(['config', 'get', 'cleanup.grase_hours'], 'CONFIG_INVALID', 'cleanup.grace_hours');
      await refused(['config', 'explain', 'cleanup.grase_hours'], 'CONFIG_INVALID', 'cleanup.grace_hours');
      await refused(['config', 'set', 'cleanup.grase_hours', '1'], 'CONFIG_INVALID', 'cleanup.grace_hours');
      await refused(['config', 'set', 'recovery.on_modified', 'mrge'], 'CONFIG_INVALID', 'merge');
    });

    test('ids in full, checkpoints and what is no checkpoint', async () => {
      const { paused } = made;
      await refused(['show', mistyped(paused)], 'TASK_NOT_FOUND', paused);
      await refused(['show', `ckpt-${paused}-1`], 'TASK_NOT_FOUND', paused.slice(-6));
      await refused(['files', `${paused.slice(-6)}-99`], 'CHECKPOINT_NOT_FOUND', `${paused.slice(-6)}-4`);
      const { err } = await cli(['files', paused]);
      expect(err).toMatch(new RegExp(`CHECKPOINT_NOT_FOUND[\\s\\S]*Did you mean "${paused.slice(-6)}-\\d"`));
      await refused(['show', 'reviwe login'], 'TASK_NOT_FOUND', 'review login');
    });

    test('files, and what is in them', async () => {
      vi.spyOn(process, 'cwd').mockReturnValue(dir);
      await refused(['run', 'tsak.ts'], 'USAGE', 'task.ts');
      await refused(['import', 'tsak.ts'], 'USAGE', join(dir, 'task.ts'));
      writeFileSync(join(dir, 'notes.txt'), 'no code');
      await refused(['run', 'notes.txt'], 'USAGE', null);
      writeFileSync(join(dir, 'broken.ts'), 'export default (');
      await refused(['run', 'broken.ts'], 'USAGE', null);
      vi.restoreAllMocks();
    });

    test('help by its name', async () => {
      expect((await cli(['help'])).out).toBe((await cli(['--help'])).out);
      expect((await cli(['help', 'checkpoints', 'list'])).out).toBe(
        (await cli(['checkpoints', 'list', '--help'])).out,
      );
      await refused(['help', 'reusme'], 'USAGE', 'resume');
    });
  },
  ['json'],
);

test('the answers of every command are held to the shape that they are said to have', () => {
  const tests = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.test.ts'));
  const text = tests.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n');
  const held = [...text.matchAll(/misfits\([\s\S]{0,200}?,\s*(\w+)\.data\)/g)].map(([, verb]) => verb);
  const unheld = verbs.filter(
    (verb: Verb) => !held.some((word) => namesOf(verb).includes(word!.toLowerCase())),
  );
  expect(unheld.map(({ name }) => name)).toEqual([]);
});

/** `checkpoints list` is `checkpointsList` in code, `export` is `exportVerb`. */
function namesOf({ name }: Verb): string[] {
  const joined = name.replaceAll(' ', '').toLowerCase();
  return [joined, `${joined}verb`];
}
