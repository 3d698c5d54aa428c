/** Whatever tasks, files, branches and settings are called: nothing of it steers the terminal of who looks. */
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { harmless } from '../../src/verbs/format/width.ts';
import { en } from '../../src/verbs/text/en.ts';
import { zhHans } from '../../src/verbs/text/zh-Hans.ts';
import { zhHant } from '../../src/verbs/text/zh-Hant.ts';
import { atTerminal, KEY } from '../cli/terminal.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { everyVerb, untriedVerbs } from './every-verb.ts';
import { CONTENT, rawIn, wordedProject } from './hostile-words.ts';

const tempDir = tempDirs();
let world: Awaited<ReturnType<typeof wordedProject>>;
beforeAll(async () => {
  world = await wordedProject(tempDir());
});

const NAMING = ['tasks', 'show', 'history', 'drift', 'checkpoints', 'files', 'trust', 'undo', 'restart'];

interface Shown {
  readonly words: readonly string[];
  readonly text: string;
  /** What of it is the answer. */
  readonly out: string;
}

/** All that it writes anywhere, where it stands and to the process's own streams. */
async function shownBy(dir: string, words: readonly string[], terminal: boolean): Promise<Shown> {
  let text = '';
  let out = '';
  const take = (chunk: unknown): true => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString();
    return true;
  };
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  for (const { stream } of streams) stream.write = take as typeof stream.write;
  try {
    await runCli(words, {
      env: { TERM: 'xterm', PATH: process.env.PATH },
      cwd: dir,
      out: (chunk) => {
        out += chunk;
        take(chunk);
      },
      err: take,
      screen: terminal ? { columns: 100, rows: 40 } : null,
      interactive: false,
    });
  } finally {
    for (const { stream, write } of streams) stream.write = write;
  }
  return { words, text, out };
}

/** In which way, whether at a terminal, and of which tasks. */
type Way = readonly [name: string, terminal: boolean, more: readonly string[], which: readonly number[]];
const WAYS: readonly Way[] = [
  ['a pipe', false, [], unlessFull([0], [0, 1])],
  ['JSON', false, ['--json'], [3]],
  ['a terminal in another language, with --debug', true, ['--lang', 'zh-Hant', '--debug', '--reveal'], [1]],
];

describe.each([...WAYS, ...unlessFull<Way[]>([], [['a terminal', true, [], [0, 2]]])])(
  '%s',
  (_name, terminal, more, which) => {
    test('every verb, every field', async () => {
      const root = tempDir();
      const dir = join(root, 'project');
      cpSync(world.dir, dir, { recursive: true });
      const tasks = which.map((at) => world.tasks[at]!);
      const every = everyVerb({ ...world, tasks, fresh: () => join(root, `out${Math.random()}`) });
      expect(untriedVerbs(every)).toEqual([]);
      // Lines for a pipe are made as those for a terminal are: those that look are enough.
      const looking = every.findIndex(([verb]) => verb === 'rebase');
      const piped = !terminal && more.length === 0;
      const commands = piped ? every.slice(0, unlessFull(looking, every.length)) : every;
      const faults: string[] = [];
      const named = new Set<string>();
      const json = more.includes('--json');
      for (const words of commands) {
        const asked = words.includes('--') ? [...more, ...words] : [...words, ...more];
        const contents = words.includes('--show') && words[0] === 'files' && piped;
        const { text } = await shownBy(dir, asked, terminal);
        if (text.includes(json ? '\\u202e' : '\\u{202e}')) named.add(words[0]!);
        const raw = contents ? [] : rawIn(text);
        if (raw.length > 0) faults.push(`${JSON.stringify(words.slice(0, 3))}: ${raw.join(' ')}`);
        if (json && words[0] !== 'exec')
          for (const line of text.split('\n').filter((one) => one.startsWith('{'))) JSON.parse(line);
      }
      expect(faults).toEqual([]);
      // What they are called was there to be shown.
      const naming = NAMING.filter((verb) => commands.some(([first]) => first === verb));
      expect([...named]).toEqual(expect.arrayContaining(naming));
    });
  },
);

test('contents that are asked for stay as they are in a pipe, and in JSON', async () => {
  const words = ['files', world.checkpoints.at(-1)!, '--show', 'plain.txt'];
  expect((await shownBy(world.dir, words, false)).out).toBe(CONTENT);
  const { out } = await shownBy(world.dir, [...words, '--json'], false);
  expect(JSON.parse(out).data.content).toBe(CONTENT);
});

test('our own words are all harmless', () => {
  for (const catalogue of [en, zhHant, zhHans])
    for (const text of Object.values(catalogue)) expect(harmless(text)).toBe(text);
});

const noScript = spawnSync('script', ['--version']).error !== undefined;
if (noScript) console.warn('skipped: questions at a terminal, since there is no `script` (util-linux)');

test.skipIf(noScript)('progress, questions and choices at a real terminal', async () => {
  const root = tempDir();
  const dir = join(root, 'project');
  cpSync(world.dir, dir, { recursive: true });
  const ran = await atTerminal(
    dir,
    ['run', world.script],
    [{ when: /x\\u\{1b\}[\s\S]*│/, type: `ok${KEY.enter}` }],
  );
  expect(ran.raw).toContain('\\u{202e}');
  writeFileSync(join(dir, 'plain.txt'), 'by somebody else\n');
  const chosen = await atTerminal(dir, ['resume'], [{ when: /●/, type: KEY.ctrlC }]);
  const asked = await atTerminal(dir, ['answer', world.tasks[3]!], [{ when: /│/, type: KEY.ctrlC }]);
  for (const { raw } of [ran, chosen, asked]) expect(rawIn(withoutClack(raw))).toEqual([]);
  expect(chosen.raw).toContain('\\u{202e}');
  expect(asked.raw).toContain('\\u{202e}');
});

/** What the prompts steer the terminal with themselves, none of which the hostile text has. */
function withoutClack(raw: string): string {
  return raw.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these.
    /\u001b\[7m\u001b\[8m_\u001b\[28m|\u001b\[(?:\?25[lh]|999D|\d*[ABCDEFG]|[0-2]?[JK](?<!2J)|(?:4|9|24|27|29|3[0-9]|9[0-7])m)|\r|\u0003|\^C/g,
    '',
  );
}
