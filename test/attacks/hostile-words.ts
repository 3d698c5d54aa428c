/** Text that steers a terminal, turns itself around or hides; and a project in which everything is called so. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask, exportTask } from '../../src/index.ts';
import { untilStatus } from '../engine/letters.ts';
import type { Known } from './every-verb.ts';

const SEQUENCES = [
  '\u001b]52;c;ZXZpbA==\u0007',
  '\u001b]8;;https://server.invalid/\u001b\\link\u001b]8;;\u001b\\',
  '\u001b[2J\u001b[H\u001b[7m\u001bc\u001b[8m',
  '\r\b\u007f\u0000\u0007\u000b\u000c',
  '\u009b31m\u009d0;title\u009c\u0085\u0090',
];
const HIDING = [
  ...range(0x200b, 0x200f),
  ...range(0x202a, 0x202e),
  ...range(0x2060, 0x2069),
  ...[0x00ad, 0x034f, 0x061c, 0x115f, 0x180e, 0x2028, 0x2029, 0x3164, 0xfeff, 0xfe0f, 0xfff9, 0xe000],
  ...range(0xe0001, 0xe0002),
  ...range(0xe0041, 0xe0044),
  0xe0100,
];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

export const HOSTILE_TEXT = `x${SEQUENCES.join('')}${HIDING.map((code) => `a${String.fromCodePoint(code)}`).join('')}y`;
/** The same for names of files that are captured; others may have anything but what ends a name. */
export const HOSTILE_NAME = HOSTILE_TEXT.replaceAll(/[\p{Cc}\\/]/gu, '').slice(-70);
const ODD_NAME = HOSTILE_TEXT.replaceAll(/[\0/]/g, '').slice(0, 70);
/** And for branches, in which git allows less. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what git refuses.
export const HOSTILE_BRANCH = HOSTILE_TEXT.replaceAll(/[\u0000-\u0020\u007f~^:?*[\\\]{}@;/.=]/g, '');

/** What of it is left in what was shown; our own emphasis and redrawn lines are not. */
export function rawIn(shown: string): string[] {
  const own =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are ours.
    /\u001b\[(?:1|2|22|31|32|33|39)m|\r?\u001b\[[KHJ]|\r(?!\u0008)|(?<=\p{Extended_Pictographic})\ufe0f/gu;
  const rest = shown.replace(own, '');
  const found = rest.matchAll(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu);
  const told = [...found].map(
    ({ 0: one, index }) =>
      `U+${one.codePointAt(0)!.toString(16)} ${JSON.stringify(rest.slice(index + one.length, index + 8))}`,
  );
  return [...new Set(told)].slice(0, 10);
}

/** Text, for all that. */
export const CONTENT = `${HOSTILE_TEXT.replaceAll('\0', '')}\n`;

const T = HOSTILE_TEXT;
const works = defineTask('works', async (task) => {
  await task.message('user', T);
  await task.step(T, () => ({ [T]: T }));
  await task.tool(T, { [T]: T }, () => T);
  await task.decide({ what: T, why: T });
  await task.agent(T, async (agent) => agent.step(T, () => T));
  await task.files.write(`${HOSTILE_NAME}.txt`, `${T}\nmine\n`);
  await task.files.write('plain.txt', CONTENT);
  await task.progress(50, T);
  await task.set(T, T);
  await task.verified({ [T]: T });
  await task.checkpoint({ metadata: { [T]: T } });
  return T;
});
const fails = defineTask('fails', async (task) => {
  await task.step(T, () => Promise.reject(new Error(T)), { retry: { attempts: 1 } });
});
const asks = defineTask('asks', async (task, name: string) => {
  await task.files.write(`${HOSTILE_NAME}.${name}`, T);
  return task.waitFor('user_input', { prompt: T });
});

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=x', '-c', `user.email=x@x`, ...args], { cwd, encoding: 'utf8' });

/** With its upstream beside it, which has moved on. */
export async function wordedProject(root: string): Promise<Known & { readonly dir: string }> {
  const [dir, upstream, other] = ['project', 'upstream.git', 'other'].map((name) => join(root, name));
  git(root, 'init', '--quiet', '--bare', `--initial-branch=${HOSTILE_BRANCH}`, upstream!);
  git(root, 'clone', '--quiet', upstream!, dir!);
  git(dir!, 'checkout', '--quiet', '-B', HOSTILE_BRANCH);
  writeFileSync(join(dir!, 'plain.txt'), 'one\n');
  git(dir!, 'add', '.');
  git(dir!, 'commit', '--quiet', '-m', T.replaceAll('\0', ''));
  git(dir!, 'push', '--quiet', '-u', 'origin', HOSTILE_BRANCH);
  writeFileSync(join(dir!, ODD_NAME), 'not captured\n');
  const engine = await openEngine({
    project_dir: dir!,
    workspace: true,
    signals: false,
    automatic_cleanup: false,
    tasks: [works, fails, asks],
    config: { persistence: { storage_type: 'json' } },
  });
  const done = await engine.start(works, undefined, { task_name: T });
  await done.result;
  const failed = await engine.start(fails, undefined, { task_name: T });
  await failed.outcome;
  const [paused, waiting] = [await engine.start(asks, 'a'), await engine.start(asks, 'b')];
  await untilStatus(engine, paused.id, 'waiting');
  await untilStatus(engine, waiting.id, 'waiting');
  await engine.pause(paused.id, T, T);
  const archive = join(root, `${HOSTILE_NAME}.vibe-task`);
  await exportTask(engine, done.id, archive);
  const checkpoints = (await engine.checkpoints.listCheckpoints(done.id)).map(({ id }) => id);
  await engine.close();
  git(root, 'clone', '--quiet', upstream!, other!);
  git(other!, 'checkout', '--quiet', HOSTILE_BRANCH);
  writeFileSync(join(other!, 'plain.txt'), 'theirs\n');
  git(other!, 'commit', '--quiet', '-a', '-m', T.replaceAll('\0', ''));
  git(other!, 'push', '--quiet');
  writeFileSync(join(dir!, '.vibe-engine', 'config.json'), JSON.stringify(settings));
  const script = join(root, 'task.mjs');
  writeFileSync(script, scriptText);
  mkdirSync(join(root, 'out'));
  let count = 0;
  return {
    dir: dir!,
    tasks: [done.id, failed.id, paused.id, waiting.id],
    checkpoints,
    paths: [`${HOSTILE_NAME}.txt`],
    archive,
    script,
    fresh: () => join(root, 'out', `${HOSTILE_NAME}${count++}`),
  };
}

const settings = { drift: { test_command: T }, conflicts: { resolver: T } };

/** One that is run here, and asks. */
const scriptText = `import { defineTask } from 'vibe-engine';
const T = ${JSON.stringify(T)};
export default defineTask('t', async (task) => {
  await task.step(T, () => new Promise((done) => setTimeout(done, 300)));
  await task.step(T, () => { throw new Error(T); }, { retry: { attempts: 2, first_delay_ms: 1 } }).catch(() => {});
  if (process.stdin.isTTY) await task.waitFor('user_input', { prompt: T });
  throw new Error(T);
});
`;
