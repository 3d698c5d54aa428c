/** Any command as a durable task: ended, failed, killed with or without its keeper, interrupted, taken back, gone on with. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { exec } from '../../src/cli/running/exec.ts';
import { resume } from '../../src/verbs/run/resume.ts';
import { newRepository } from '../engine/file-world.ts';
import { onEachStore } from '../engine/stores.ts';
import { until } from '../support/until.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, command as cli, cli as here, MAIN, quiet } from './cli.ts';
import { startHost } from './hosted.ts';
import { atTerminal, KEY } from './terminal.ts';
import { configure } from './world.ts';

interface Done {
  readonly task: string;
  readonly status: string;
  readonly code: number;
  readonly changed: readonly string[];
  readonly checkpoint: string;
}

interface Changed {
  readonly files: readonly { readonly path: string; readonly by: readonly string[] }[];
}
interface Marks {
  readonly marks: readonly { readonly kind: string; readonly at: string }[];
}

/** Changes a file and makes one, then goes on only when there is a file `go`. It ends with its directory, so that none outlives the tests. */
const AGENT = `echo changed > a.txt
echo $$ > agent.pid
while [ ! -e go ]; do [ -e agent.sh ] || exit 1; sleep 0.02; done
echo more > c.txt
exit 7
`;

onEachStore((fresh, type) => {
  let dir: string;
  const file = (name: string) => readFileSync(join(dir, name), 'utf8');
  const there = (name: string) => existsSync(join(dir, name));
  beforeEach(async () => {
    const store = await fresh();
    dir = store.dir;
    newRepository(dir, { 'a.txt': 'as it was\n', 'agent.sh': AGENT, '.gitignore': 'agent.pid\ngo\n' });
    configure(store);
  });

  /** Started, and left running until it has made its first changes. */
  const begin = async (...options: string[]) => {
    const child = spawn(process.execPath, [MAIN, 'exec', ...options, '--', 'sh', 'agent.sh'], {
      cwd: dir,
      env: { ...process.env, LANG: 'C', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
    await until(() => expect(there('agent.pid') && file('agent.pid')).toMatch(/\n/));
    return { pid: child.pid!, agent: Number(file('agent.pid')), ended, said: () => said };
  };
  const theTask = async () =>
    (await ask<{ tasks: { id: string; short: string; status: string }[] }>(dir, 'tasks')).tasks[0]!;
  const checkpoints = async (task: string) =>
    (
      await ask<{ checkpoints: { id: string; short: string; trigger: string }[] }>(
        dir,
        'checkpoints',
        'list',
        task,
      )
    ).checkpoints;
  /** On a server, a dead owner is noticed when its lease runs out. */
  const freed = () =>
    until(async () => {
      expect(await ask(dir, 'tasks', '--resumable')).toMatchObject({ tasks: [{}] });
    });
  /** A task that changed nothing. */
  const empty = async () =>
    (JSON.parse((await cli(dir, ['exec', '--json', '--', 'true'])).out) as { data: Done }).data;
  /** While the command runs. */
  const captured = (task: string) =>
    until(async () => {
      const { short: newest } = (await checkpoints(task)).at(-1)!;
      expect(await ask(dir, 'files', newest, '--show', 'a.txt')).toMatchObject({ content: 'changed\n' });
    });
  const endAgent = async (agent: number) => {
    process.kill(agent, 'SIGKILL');
    await until(() => expect(() => process.kill(agent, 0)).toThrow());
  };

  test('passes the command’s words, output and code on, and knows what it changed', async () => {
    const { exit, out, err } = await cli(dir, [
      'exec',
      '--',
      'sh',
      '-c',
      'echo "$0 $1"; echo new > b.txt',
      '--json',
      '-h',
    ]);
    expect([exit, out]).toEqual([0, '--json -h\n']);
    expect(err).toMatch(
      /^Task \w{6} captures .*\nTask (\w{6}) is completed\.\n1 file changed: b\.txt\nUndo .*: vibe-engine undo \1\n$/,
    );
    const piped = await promisify(execFile)(
      'sh',
      ['-c', 'echo given | "$0" "$@"', process.execPath, MAIN, 'exec', '--', 'sed', 's/given/taken/'],
      { cwd: dir },
    );
    expect(piped.stdout).toBe('taken\n');
    const failed = await cli(dir, [
      'exec',
      '--json',
      '--',
      'sh',
      '-c',
      'echo said; echo new > c.txt; exit 7',
    ]);
    expect([failed.exit, failed.err]).toEqual([7, 'said\n']);
    const { data } = JSON.parse(failed.out) as { data: Done };
    expect(misfits(data, exec.data)).toEqual([]);
    expect(data).toMatchObject({ status: 'failed', code: 7, changed: ['c.txt'] });
    expect((await here(dir, ['rollback', data.checkpoint, '--yes'])).exit).toBe(0);
    expect(there('c.txt')).toBe(false);
    expect(file('b.txt')).toBe('new\n');
  });

  test('killed with SIGKILL, what its command did is rolled back', async () => {
    const { pid, agent, ended } = await begin('--every', '0.1');
    const { id, short } = await theTask();
    await captured(id);
    process.kill(pid, 'SIGKILL');
    await ended;
    await freed();
    const early = await quiet(dir, ['resume', short, '--yes']);
    expect([early.exit, early.err]).toEqual([
      1,
      expect.stringContaining(`is still running, as process ${agent}`),
    ]);
    const [start] = await checkpoints(id);
    for (const verb of [
      ['undo', short],
      ['rollback', start!.short],
      ['rollback', start!.short, '--only', 'files'],
    ]) {
      const { exit, err } = await here(dir, [...verb, '--yes', '--on-modified', 'use_checkpoint']);
      expect([exit, err]).toEqual([1, expect.stringContaining(`is still running, as process ${agent}`)]);
    }
    expect((await here(dir, ['show', short])).out).toContain(`is still running, as process ${agent}`);
    await endAgent(agent);
    expect(file('a.txt')).toBe('changed\n');
    writeFileSync(join(dir, 'b.txt'), 'a person’s\n');
    // What was captured while it ran is its own; what changed since may be anybody's.
    expect(await ask(dir, 'show', id)).toMatchObject({
      files: { complete: false, changed: ['a.txt'], in_doubt: [] },
    });
    const side = { interrupted: true, files: 1, added: 1, removed: 1, complete: false };
    const other = await empty();
    expect(await ask(dir, 'compare', id, other.task)).toMatchObject({ a: side, only_a: ['a.txt'] });
    const { files } = await ask<Changed>(dir, 'checkpoints', 'diff', 'start', 'now', '--task', id);
    const by = files.map((one) => [one.path, ...one.by]);
    expect(by).toEqual([
      ['a.txt', 'shell'],
      ['b.txt', 'unknown'],
    ]);
    const [first, before] = await checkpoints(id);
    expect(await ask(dir, 'checkpoints', 'diff', before!.id, 'now')).toMatchObject({ steps: 0 });
    const preview = (await here(dir, ['undo', short, '--dry-run'])).out;
    expect(preview).toContain('1 file is restored: a.txt');
    expect(preview).toContain(
      'You will be asked about 1 file that the task, others, or both changed; which is not known: b.txt',
    );
    expect(preview).toMatch(
      /b\.txt .*who changed it is not known; choose: use_current, use_checkpoint, abort/,
    );
    for (const choice of [[], ['--on-modified', 'merge']]) {
      const unsure = await here(dir, ['rollback', first!.short, '--yes', ...choice]);
      const why = `b.txt was changed by the task, by others, or by both; it is not known which`;
      expect([unsure.exit, unsure.err]).toEqual([3, expect.stringContaining(why)]);
      expect(unsure.err).toContain('--on-modified use_current|use_checkpoint|abort,');
    }
    const kill = async () =>
      (await ask<Marks>(dir, 'timeline', id)).marks.find((one) => one.kind === 'kill')!.at;
    const died = await kill();
    expect((await here(dir, ['undo', short, '--yes', '--on-modified', 'use_current'])).exit).toBe(0);
    expect(await kill()).toBe(died);
    expect((await here(dir, ['redo', short, '--yes'])).exit).toBe(0);
    expect(await kill()).toBe(died);
    const back = await here(dir, ['rollback', first!.short, '--yes', '--on-modified', 'use_checkpoint']);
    expect(back).toMatchObject({ exit: 0 });
    expect(file('a.txt')).toBe('as it was\n');
    expect(there('b.txt')).toBe(false);
  });

  test('killed with SIGKILL, and cancelled while its command runs: that is said, and undone only when it has ended', async () => {
    const { pid, agent, ended } = await begin('--every', '0.1');
    const { id } = await theTask();
    // Its process is known from the first checkpoint on that is made while it runs.
    const made = async () => (await checkpoints(id)).map(({ trigger }) => trigger);
    await until(async () => expect(await made()).toContain('manual'));
    process.kill(pid, 'SIGKILL');
    await ended;
    await freed();
    expect((await here(dir, ['cancel', id])).out).toContain(`kill ${agent}`);
    expect(await ask(dir, 'show', id)).toMatchObject({ processes: [agent] });
    const undo = ['undo', id, '--yes', '--on-modified', 'use_checkpoint'];
    expect((await here(dir, undo)).err).toContain(`is still running, as process ${agent}`);
    expect(file('a.txt')).toBe('changed\n');
    await endAgent(agent);
    expect((await here(dir, undo)).exit).toBe(0);
    expect(file('a.txt')).toBe('as it was\n');
    expect(await ask(dir, 'show', id)).toMatchObject({ processes: [] });
  });

  test('killed with SIGKILL, a restart shows one plan of its files, with and without --dry-run', async () => {
    const { pid, agent, ended } = await begin('--every', '0.1');
    const { id, short } = await theTask();
    await captured(id);
    process.kill(pid, 'SIGKILL');
    await ended;
    await freed();
    await endAgent(agent);
    writeFileSync(join(dir, 'b.txt'), 'a person’s\n');
    const { out } = await here(dir, ['restart', short, '--dry-run']);
    expect(out).toContain('which is not known: b.txt\n');
    expect(out).toContain('its changes to 2 files are undone first: a.txt, b.txt\n');
    expect(out).not.toContain('the old task has no changes');
    const kept = await here(dir, ['restart', short, '--dry-run', '--on-modified', 'use_current']);
    expect(kept.out).toContain('that others may have changed stays as it is: b.txt');
    expect(kept.out).toContain('its changes to 1 file are undone first: a.txt\n');
    const unasked = await here(dir, ['restart', short]);
    expect([unasked.exit, unasked.err]).toEqual([3, expect.stringContaining(out)]);
  });

  test('killed with SIGKILL, it is gone on with by the same command, once that is wanted', async () => {
    const { pid, agent, ended } = await begin('--every', '0.1');
    const { id } = await theTask();
    await captured(id);
    process.kill(pid, 'SIGKILL');
    await ended;
    await freed();
    await endAgent(agent);
    writeFileSync(join(dir, 'b.txt'), 'a person’s\n');
    writeFileSync(join(dir, 'go'), '');
    const mute = await quiet(dir, ['resume']);
    expect([mute.exit, mute.err]).toEqual([3, expect.stringContaining('1 file changed: a.txt')]);
    expect(mute.err).toContain('by both, which is not known: b.txt\nResume it with: sh agent.sh');
    expect(there('c.txt')).toBe(false);
    const { exit, out } = await cli(dir, ['resume', '--yes', '--json']);
    expect(exit).toBe(7);
    const { data } = JSON.parse(out) as { data: Done };
    expect(misfits(data, resume.data)).toEqual([]);
    expect(data).toMatchObject({ status: 'failed', error: 'The command exited with code 7.' });
    expect(there('c.txt')).toBe(true);
    // What others changed while it was dead is not counted as its own.
    const own = { changed: ['a.txt', 'c.txt'], in_doubt: ['b.txt'], complete: true };
    expect(await ask(dir, 'show', id)).toMatchObject({ files: own });
    const other = await empty();
    expect(await ask(dir, 'compare', other.task, id)).toMatchObject({
      b: { files: 2, in_doubt: ['b.txt'] },
      only_b: ['a.txt', 'c.txt'],
    });
    const { files } = await ask<Changed>(dir, 'checkpoints', 'diff', 'start', 'now', '--task', id);
    expect(files.map(({ path, by }) => [path, ...by])).toEqual([
      ['a.txt', 'shell'],
      ['b.txt', 'unknown'],
      ['c.txt', 'shell'],
    ]);
  });

  test('the command killed, it goes on with what it was told to, and is completed', async () => {
    const { agent, ended, said } = await begin(
      '--resume-with',
      'echo "on with $VIBE_ENGINE_TASK"; echo rest > rest.txt',
    );
    process.kill(agent, 'SIGKILL');
    expect((await ended)[0]).toBe(137);
    expect(said()).toContain('The command was ended by SIGKILL.');
    expect(said()).toMatch(/1 file changed: a\.txt\nResume with: .*resume (\w+)\nUndo .*: .*undo \1\n$/);
    const { id } = await theTask();
    const { exit, out } = await cli(dir, ['retry', id]);
    expect([exit, out]).toEqual([0, `on with ${id}\n`]);
    expect(await ask(dir, 'show', id)).toMatchObject({ task: { status: 'completed' } });
    expect(await ask(dir, 'history', id)).toMatchObject({
      steps: [{ status: 'success' }, { status: 'success' }],
    });
    expect(file('a.txt') + file('rest.txt')).toBe('changed\nrest\n');
  });

  test.each(['go', 'pause'])(
    'the calls of an agent in the command are its task’s, until it ends by %s',
    async (by) => {
      const { ended } = await begin();
      const { id } = await theTask();
      const host = startHost(dir, {}, id);
      await host.begin();
      await until(async () => {
        await host.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Go.', prompt_id: 'p-1' });
        expect(await ask(dir, 'show', id)).toMatchObject({ turns: [{ prompt: 'Go.' }] });
      });
      const write = { tool_name: 'Write', tool_use_id: 'c-1', tool_input: { file_path: join(dir, 'b.txt') } };
      await host.hook({ hook_event_name: 'PreToolUse', ...write });
      writeFileSync(join(dir, 'b.txt'), 'by the agent\n');
      await host.hook({ hook_event_name: 'PostToolUse', ...write, tool_response: 'ok' });
      const open = { tool_name: 'Bash', tool_use_id: 'c-2', tool_input: { command: 'make' } };
      await host.hook({ hook_event_name: 'PreToolUse', ...open });
      if (by === 'go') writeFileSync(join(dir, 'go'), '');
      else expect((await here(dir, ['pause', id])).exit).toBe(0);
      expect((await ended)[0]).toBe(by === 'go' ? 7 : 143);
      await host.end();
      expect(await ask(dir, 'tasks')).toMatchObject({ tasks: [{ id }] });
      const { steps } = await ask<{ steps: { name: string; status: string }[] }>(dir, 'history', id);
      expect(steps.map(({ name }) => name).sort()).toEqual(['tool:Bash', 'tool:Write', 'tool:shell']);
      expect(steps.find(({ name }) => name === 'tool:Write')!.status).toBe('success');
      await here(dir, ['undo', id, '--yes']);
      expect([there('b.txt'), file('a.txt')]).toEqual([false, 'as it was\n']);
    },
  );

  test('asked to pause, the command is ended and the task can go on', async () => {
    const { ended, said } = await begin();
    const { id } = await theTask();
    expect((await here(dir, ['pause', id])).exit).toBe(0);
    expect((await ended)[0]).toBe(143);
    expect(said()).toContain(`is paused: paused from the command line`);
    expect(await theTask()).toMatchObject({ id, status: 'paused' });
  });

  if (type === 'json') {
    test('told to end, it tells its command, and pauses', async () => {
      const { pid, ended } = await begin();
      process.kill(pid, 'SIGTERM');
      expect((await ended)[0]).toBe(143);
      expect(await theTask()).toMatchObject({ status: 'paused' });
      expect(there('c.txt')).toBe(false);
    });

    describe('at a terminal', () => {
      test('Ctrl-C is the command’s: what minds it goes on', async () => {
        const minds = `trap 'echo minded; has=1' INT; echo ready; while [ ! "$has" ]; do sleep 0.05; done; echo over; exit 0`;
        const { exit, screen } = await atTerminal(
          dir,
          ['exec', '--', 'sh', '-c', minds],
          [{ when: /ready/, type: KEY.ctrlC }],
        );
        expect(screen).toMatch(/ready[\s\S]*minded[\s\S]*over[\s\S]*is completed/);
        expect(exit).toBe(0);
      });

      test('what does not is ended, and the task paused with it', async () => {
        const { exit, screen } = await atTerminal(
          dir,
          ['exec', '--', 'sh', '-c', 'echo x > x.txt; echo ready; sleep 20'],
          [{ when: /ready/, type: KEY.ctrlC }],
        );
        expect(screen).toMatch(/is paused: stopped by SIGINT[\s\S]*1 file changed: x\.txt/);
        expect(exit).toBe(130);
        const no = await atTerminal(dir, ['resume'], [{ when: /Run it again\?/, type: `n${KEY.enter}` }]);
        expect([no.exit, no.screen]).toEqual([4, expect.stringContaining('Nothing was changed.')]);
      });

      test('it can be talked to', async () => {
        const { screen } = await atTerminal(
          dir,
          [
            'exec',
            '--',
            'sh',
            '-c',
            'printf "name? "; read name; echo "hello $name"; test -t 1 && echo seen',
          ],
          [{ when: /name\?/, type: 'Ada\r' }],
        );
        expect(screen).toMatch(/hello Ada\s+seen/);
      });
    });

    test('what is wrong is said, and leaves no task behind', async () => {
      for (const [args, said] of [
        [['exec'], 'The argument "command" is missing'],
        [['exec', '--', 'gti', 'status'], 'Did you mean "git"?'],
        [['exec', '--', './nowhere.sh'], 'There is no program "./nowhere.sh"'],
        [['exec', '--every', '0', '--', 'true'], 'It takes a number, 0.1 or more.'],
        [['exec', '--resume-wiht', 'x', '--', 'true'], 'Did you mean "--resume-with"?'],
      ] as const) {
        const { exit, err } = await quiet(dir, args);
        expect([exit, err]).toEqual([2, expect.stringContaining(said)]);
      }
      expect(await ask(dir, 'tasks')).toMatchObject({ tasks: [] });
    });
  }
});
