/** What a person sees of a task that runs: a line that moves at a terminal, plain lines elsewhere. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { screenAfter, textOf } from '../../picture/screen.ts';
import { progressLine } from '../../src/cli/running/progress.ts';
import { noPaint } from '../../src/verbs/format/paint.ts';
import { widthOf } from '../../src/verbs/format/width.ts';
import { LANGUAGES, speak } from '../../src/verbs/text/choose.ts';
import { tempDirs } from '../support/temp.ts';
import { command as cli } from './cli.ts';
import { atTerminal } from './terminal.ts';

const tempDir = tempDirs();
const ESCAPE = '\u001b';
const ERASE = `${ESCAPE}[K`;
const rowsAfter = (raw: string): string[] => screenAfter(raw, widthOf).map(textOf);

/** Prints on its own account, in whole lines and in pieces. */
const TASK = `import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from 'vibe-engine';
export default defineTask('noisy', async (task) => {
  for (const part of [1, 2]) {
    await task.step(\`part \${part}\`, async () => {
      await sleep(250);
      console.log(\`said in part \${part}\`);
      process.stdout.write('in ');
      await sleep(150);
      process.stdout.write('pieces\\n');
    });
    await task.progress(part * 50);
  }
});
`;

function project(): string {
  const dir = tempDir();
  writeFileSync(join(dir, 'noisy.ts'), TASK);
  return dir;
}

const LINES = [
  /^Task \w+ is running\.$/,
  ...[1, 2].flatMap((part) => [`said in part ${part}`, 'in pieces', new RegExp(`^✓ part ${part} \\(.*\\)$`)]),
  /^Task \w+ is completed\.$/,
];
const fits = LINES.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line)));

test.concurrent('at a terminal a line moves under what is said, and nothing of it stays', async () => {
  const { exit, raw } = await atTerminal(project(), ['run', 'noisy.ts']);
  expect(exit).toBe(0);
  const pieces = raw.replaceAll(ERASE, '').split('\r');
  const drawn = pieces.map((line) => rowsAfter(line)[0]!);
  expect(drawn).toContainEqual(expect.stringMatching(/^⠋ +\d+s · 0 steps · 0 checkpoints$/));
  expect(drawn).toContainEqual(
    expect.stringMatching(/^. ━{6}╌{6} 50% part 2 {2}\d+s · 1 step · \d checkpoints?$/),
  );
  expect(raw).toContain(`${ESCAPE}[32m✓${ESCAPE}[39m part 1`);
  const shown = rowsAfter(raw);
  expect(shown.slice(0, -1)).toEqual(fits);
  expect(shown.at(-1)).toBe('');
  // Each time the line is drawn again, the rows above it are as they were.
  const drawings = raw.split(ERASE).slice(0, -1);
  const above = drawings.map((_, at) => rowsAfter(drawings.slice(0, at + 1).join(ERASE)).slice(0, -1));
  for (const [at, rows] of above.entries()) {
    const before = above[at - 1] ?? [];
    expect(rows.slice(0, before.length)).toEqual(before);
  }
  expect(above.length).toBeGreaterThan(5);
});

test.concurrent('NO_COLOR leaves the line, without its colours; a dumb terminal and a pipe get lines only', async () => {
  const bare = await atTerminal(project(), ['run', 'noisy.ts'], [], { NO_COLOR: '1' });
  expect(bare.raw).toContain('⠋');
  expect(bare.raw).not.toMatch(new RegExp(`${ESCAPE}\\[\\d+m`));
  const dumb = await atTerminal(project(), ['run', 'noisy.ts'], [], { TERM: 'dumb' });
  expect(dumb.raw).not.toContain(ESCAPE);
  expect(dumb.raw.replaceAll('\r', '').trimEnd().split('\n')).toEqual(fits);
  const piped = await cli(project(), ['run', 'noisy.ts']);
  expect(piped.out.trimEnd().split('\n')).toEqual(fits);
});

test.each(LANGUAGES)('the line fits into every width (%s)', async (language) => {
  const say = await speak(language);
  const doing = {
    steps: ['fetch', 'edit a file with a rather long name 檔案.ts'],
    waits: false,
    done: 12,
    checkpoints: 7,
    percent: 40.7,
    elapsed_ms: 75_000,
  };
  const line = (columns: number): string =>
    progressLine(doing, '⠋', columns, { say, paint: noPaint, now: () => new Date(0) });
  for (let columns = 10; columns < 140; columns++)
    expect(widthOf(line(columns))).toBeLessThanOrEqual(columns);
  expect(line(139)).toMatch(/40%.*檔案\.ts.*1/);
});
