/**
 * A client on its screen, in a terminal of tmux: two prompts, a command of ours, a rollback from another terminal while it is open,
 * and `resume`, which starts it again where the conversation was cut.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hooked, MAIN, setHooked } from '../hooked.ts';
import type { Scripts } from '../model/script.ts';
import { environment } from '../run.ts';
import type { Check, Outcome } from './check.ts';

const SCRIPTS: Scripts = {
  begin: [
    { text: 'I write.', calls: [{ kind: 'write', path: 'a.txt', text: 'one\n' }] },
    { text: 'First done.' },
  ],
  tidy: [
    { text: 'I tidy.', calls: [{ kind: 'shell', command: 'mv a.txt b.txt' }] },
    { text: 'Second done.' },
  ],
  said: [{ text: 'Understood.' }],
  more: [{ text: 'Third done.' }],
};

export const screen: Check = {
  name: 'screen',
  async *run(client) {
    const skipped =
      client !== 'claude'
        ? 'written for Claude Code alone'
        : hasTmux()
          ? undefined
          : 'tmux is not installed here';
    if (skipped !== undefined) {
      yield { part: 'session', problems: [], skipped };
      return;
    }
    await using stage = await setHooked(client, () => SCRIPTS);
    skipFirstSteps(stage);
    yield* played(stage);
  },
};

async function* played(stage: Hooked): AsyncGenerator<Outcome> {
  const { bin, project } = stage.place;
  const files = () => readdirSync(project).filter((name) => name.endsWith('.txt'));
  const own = ['--dangerously-skip-permissions'];
  using first = openScreen(stage, [join(bin, 'claude'), ...own]);
  await first.ready();
  await first.type('[[begin]] Make a file.');
  await first.shows('First done.');
  await rested(stage);
  await first.type('[[tidy]] Tidy up.');
  await first.shows('Second done.');
  await first.type('/vibe:tasks [[said]]');
  await first.shows('Understood.');
  await rested(stage);
  const [task] = await stage.tasks();
  const { turns } = await stage.show(task!.id);
  yield { part: 'recorded', problems: differ(turns.length, 3) };
  yield { part: 'its files', problems: differ(files().join(), 'b.txt,base.txt') };

  await stage.vibe('rollback', task!.id, '--to', turns[1]!.ref, '--yes');
  yield { part: 'rewound while it is open', problems: differ(files().join(), 'a.txt,base.txt') };
  await first.type('/exit');
  await first.shows('ENDED');

  using second = openScreen(stage, [process.execPath, MAIN, 'resume', task!.id, '--', ...own]);
  await second.ready();
  yield { part: 'resumed', problems: differ(/Second done|Understood/.test(second.text()), false) };
  await second.type('[[more]] Go on.');
  await second.shows('Third done.');
  await rested(stage);
  const asked = stage.model.asked.findLast(({ script }) => script === 'more');
  const spoken = asked!.messages.filter(({ role }) => role === 'assistant').map(({ text }) => text);
  yield { part: 'sent up to there', problems: differ(spoken.join(), 'I write.,First done.') };
  yield { part: 'the same task', problems: differ((await stage.tasks()).length, 1) };
}

/** Until the end of the turn is on the disk: without a limit, as the machine may be busy. */
async function rested(stage: Hooked): Promise<void> {
  for (;;) {
    const [task] = await stage.tasks();
    if (task?.idle && task.holder === null) return;
    await sleep(200);
  }
}

interface Screen extends Disposable {
  text(): string;
  type(line: string): Promise<void>;
  shows(text: string): Promise<void>;
  /** At its prompt; what it asks before is answered. */
  ready(): Promise<void>;
}

let screens = 0;

function openScreen(stage: Hooked, words: readonly string[]): Screen {
  const { place, client, model } = stage;
  const server = `vibe-${process.pid}-${++screens}`;
  const env = { ...environment(client, place, model.url), TERM: 'xterm-256color' };
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', server, ...args], { encoding: 'utf8', env });
  const keys = (...args: string[]) => tmux('send-keys', '-t', 'it', ...args);
  const line = `${words.map((word) => `'${word}'`).join(' ')}; echo ENDED; read -r _`;
  tmux('new-session', '-d', '-s', 'it', '-x', '120', '-y', '40', '-c', place.project, line);
  const text = () => tmux('capture-pane', '-p', '-t', 'it');
  return {
    text,
    async type(words) {
      keys('-l', words);
      while (!text().includes(words)) await sleep(200);
      await sleep(500); // What is typed fast counts as pasted, and its end as part of it.
      keys('Enter');
    },
    async shows(wanted) {
      while (!text().includes(wanted)) await sleep(200);
    },
    async ready() {
      while (!/bypass permissions on/.test(text())) {
        if (/Yes, I accept/.test(text())) keys('Down', 'Enter');
        await sleep(1000);
      }
    },
    [Symbol.dispose]() {
      tmux('kill-server');
    },
  };
}

/** What it asks a new user. */
function skipFirstSteps({ place: { home, project } }: Hooked): void {
  const file = join(home, '.claude.json');
  const settings = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const known = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const more = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['sk-none'], rejected: [] },
    projects: { [project]: known },
  };
  writeFileSync(file, JSON.stringify({ ...settings, ...more }));
}

function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V']);
    return true;
  } catch {
    return false;
  }
}

function differ<T>(found: T, due: T): string[] {
  return found === due ? [] : [`it is ${found} instead of ${due}`];
}
