/** Whatever takes longer than a second shows how far it is: at a terminal a line that goes again, elsewhere nothing. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { screenAfter, textOf } from '../../picture/screen.ts';
import { workLine } from '../../src/cli/terminal/working.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { DOINGS, type Doing, type OperationProgress } from '../../src/system/progress.ts';
import { noPaint } from '../../src/verbs/format/paint.ts';
import { widthOf } from '../../src/verbs/format/width.ts';
import { LANGUAGES, speak } from '../../src/verbs/text/choose.ts';
import { tempDirs } from '../support/temp.ts';
import { inTerminal, type TerminalRun } from './terminal.ts';

const tempDir = tempDirs();
const CHILD = fileURLToPath(new URL('./slow-clock.ts', import.meta.url));
/** At a terminal, too, it takes the sources from the bundle. */
const BUNDLED = { NODE_OPTIONS: process.env.NODE_OPTIONS };
const LONG = '2000';
const NO_TIME = '0';

/** A clone with a task that has run, one that is paused, and a file that is not in git. */
async function project(): Promise<{ dir: string; paused: string }> {
  const [dir, remote] = [join(tempDir(), 'here'), tempDir()];
  const git = (cwd: string, ...words: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd, stdio: 'pipe' });
  git(remote, 'init', '-q', '-b', 'main');
  git(remote, 'commit', '-q', '--allow-empty', '-m', 'one');
  git(remote, 'clone', '-q', remote, dir);
  writeFileSync(join(dir, 'new.txt'), 'new');
  const engine = await openEngine({ project_dir: dir, workspace: true });
  await engine.run(
    defineTask('small', async (t) => t.step('part', async () => 'x'.repeat(20_000))),
    undefined,
  );
  const handle = await engine.start(
    defineTask('waits', async (t) => t.waitFor('user_input')),
    undefined,
  );
  await engine.pause(handle.id);
  await engine.close();
  return { dir, paused: handle.id };
}

const run = (dir: string, step: string, ...args: string[]): Promise<TerminalRun> =>
  inTerminal(dir, [process.execPath, CHILD, step, ...args], [], BUNDLED);

/** What it showed that it was doing; nothing of that may be left on the screen. */
async function shownBy(terminal: TerminalRun): Promise<Doing[]> {
  const { raw } = terminal;
  const say = await speak('en');
  const left = screenAfter(raw, widthOf).map(textOf).join('\n');
  for (const doing of DOINGS) expect(left).not.toContain(say(`work.${doing}`));
  return DOINGS.filter((doing) => raw.includes(say(`work.${doing}`)));
}

test('every verb that can take long shows what it does, and how far it is', async () => {
  const { dir, paused } = await project();
  const shown = async (...args: string[]): Promise<Doing[]> => shownBy(await run(dir, LONG, ...args));
  const fresh = tempDir();
  writeFileSync(join(fresh, 'new.txt'), 'new');
  expect(await shownBy(await run(fresh, LONG, 'exec', '--', 'true'))).toEqual(['scan', 'read_files']);
  const doctor = await run(dir, LONG, 'doctor');
  expect(await shownBy(doctor)).toEqual(['check_store', 'check_tasks', 'check_files']);
  expect(doctor.raw).toMatch(/━{6}╌{6} 50% Checking tasks.* 1\/2 {2}\d/);
  expect(await shown('clean', '--dry-run')).toEqual(['survey', 'remove', 'free_files']);
  expect(await shown('export', paused, 'out.vibe-task')).toEqual(['export_read', 'export_write']);
  const imported = await run(fresh, LONG, 'import', join(dir, 'out.vibe-task'));
  expect(await shownBy(imported)).toEqual(['import_check', 'import_store']);
  expect(await shown('drift')).toContain('fetch');
  expect(await shown('keys', 'encrypt')).toEqual(['copy', 'compare', 'empty']);
  expect(await shown('keys', 'rotate')).toEqual(['rotate']);
  expect(await shown('keys', 'decrypt')).toEqual(['copy', 'compare', 'empty']);
});

test('nothing is shown of what is quick, with --json, on a dumb terminal or without one', async () => {
  const { dir } = await project();
  expect(await shownBy(await run(dir, NO_TIME, 'doctor'))).toEqual([]);
  expect((await run(dir, LONG, 'doctor', '--json')).raw).toMatch(/^\{.*\}\r\n$/);
  const dumb = await inTerminal(dir, [process.execPath, CHILD, LONG, 'doctor'], [], {
    ...BUNDLED,
    TERM: 'dumb',
  });
  expect(await shownBy(dumb)).toEqual([]);
  const piped = await new Promise<string>((resolve) =>
    execFile(process.execPath, [CHILD, LONG, 'doctor'], { cwd: dir }, (_error, _out, err) => resolve(err)),
  );
  expect(piped).toBe('');
});

test('with the output in a file it is shown on the error output, and the file stays clean', async () => {
  const { dir } = await project();
  const words = [process.execPath, CHILD, LONG, 'doctor'].map((word) => `'${word}'`).join(' ');
  const { raw } = await inTerminal(
    dir,
    ['sh', '-c', `${words} >out.txt; cat out.txt | od -c | grep 033; wc -l <out.txt`],
    [],
    BUNDLED,
  );
  expect(raw).toContain('Checking tasks');
  expect(raw).not.toContain('033');
});

test.each(LANGUAGES)('the line fits into every width (%s)', async (language) => {
  const teller = { say: await speak(language), paint: noPaint, now: () => new Date(0) };
  for (const doing of DOINGS)
    for (const of of [null, 0, 200, 123_456]) {
      const progress: OperationProgress = { id: 1, doing, done: 100, of, ended: false };
      for (let columns = 10; columns < 100; columns += 7)
        expect(widthOf(workLine(progress, 75_000, columns, teller))).toBeLessThanOrEqual(columns);
      const line = workLine(progress, 75_000, 99, teller);
      expect(line).toContain(teller.say(`work.${doing}`));
      if (of === 200) expect(line).toMatch(/━{6}╌{6} 50%/);
    }
});
