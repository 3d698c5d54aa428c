/** The sessions that are recorded with every client: one thing each that an integration has to understand. */
import { join } from 'node:path';
import type { ClientName } from './install.ts';
import type { Call, Scripts } from './model/script.ts';
import { HOLD, type Stage } from './stage.ts';

export interface Session {
  readonly name: string;
  /** The clients that cannot do it, with the reason. */
  readonly not?: Partial<Readonly<Record<ClientName, string>>>;
  /** In a git repository if not false. */
  readonly git?: boolean;
  readonly scripts: (root: string) => Scripts;
  /** Plays it and returns the client's ids of the sessions that came of it. */
  readonly play: (stage: Stage) => Promise<string[]>;
}

const write = (path: string, text: string): Call => ({ kind: 'write', path, text });
const shell = (command: string): Call => ({ kind: 'shell', command });
const PART = '[[part]] Do your part.';
const part = [{ calls: [write('part.txt', 'part\n')] }, { text: 'Part done.' }];

/** One prompt, in whose answer the model makes the calls, each in a turn of its own. */
function single(name: string, calls: readonly Call[], more: Partial<Session> = {}): Session {
  return {
    name,
    scripts: () => ({ [name]: [...calls.map((call) => ({ calls: [call] })), { text: 'Done.' }], part }),
    play: async ({ ask }) => [(await ask(`[[${name}]] Do it.`)).session],
    ...more,
  };
}

export const SESSIONS: readonly Session[] = [
  single('write', [write('a.txt', 'one\n')]),
  single('edit', [write('a.txt', 'one\n'), { kind: 'edit', path: 'a.txt', from: 'one', to: 'two' }]),
  single('shell', [shell('echo one > a.txt; echo two >> base.txt; echo said')]),
  single('plain', [shell('echo one > a.txt; echo said')], { git: false }),
  single('failing', [shell('echo bad >&2; exit 3')]),
  single('refused', [shell('git push origin'), write('a.txt', 'after\n')]),
  single('denied', [shell('echo deny-me'), write('a.txt', 'after\n')]),
  single('unasked', [write('a.txt', 'one\n')], {
    not: {
      codex: 'it asks nobody about a project that is trusted',
      opencode: 'what it allows is in its settings alone',
    },
    play: async ({ ask }) => [(await ask('[[unasked]] Do it.', { unasked: true })).session],
  }),
  single('mcp', [{ kind: 'mcp', server: 'test', tool: 'note', input: { file: 'a.txt', text: 'one' } }]),
  single('agent', [{ kind: 'agent', prompt: PART }]),
  single('background', [{ kind: 'agent', prompt: PART, background: true }], {
    not: {
      codex: 'it ends without waiting for a sub-agent that nobody waits for',
      gemini: 'its sub-agents are always waited for',
      opencode: 'its sub-agents are always waited for',
    },
  }),
  {
    name: 'parallel',
    scripts: () => ({
      parallel: [
        { text: 'Both at once.', calls: [shell('echo one > a.txt'), shell('echo two > b.txt')] },
        { text: 'Done.' },
      ],
    }),
    play: async ({ ask }) => [(await ask('[[parallel]] Do both.')).session],
  },
  {
    name: 'resumed',
    scripts: () => ({
      first: [{ calls: [write('a.txt', 'one\n')] }, { text: 'First done.' }],
      second: [{ calls: [write('b.txt', 'two\n')] }, { text: 'Second done.' }],
    }),
    async play({ ask }) {
      const { session } = await ask('[[first]] Begin.');
      await ask('[[second]] Continue.', { resume: session });
      return [session];
    },
  },
  {
    name: 'forked',
    not: { gemini: 'it has no fork' },
    scripts: () => ({
      first: [{ calls: [write('a.txt', 'one\n')] }, { text: 'First done.' }],
      second: [{ calls: [write('b.txt', 'two\n')] }, { text: 'Second done.' }],
    }),
    async play({ ask }) {
      const { session } = await ask('[[first]] Begin.');
      const fork = await ask('[[second]] Continue elsewhere.', { resume: session, fork: true });
      return [session, fork.session];
    },
  },
  {
    name: 'killed',
    scripts: (root) => ({
      slow: [
        { calls: [write('a.txt', 'one\n')] },
        // It outlives the client, and ends when the stage is taken down.
        { calls: [shell(`echo begun > begun.txt; while [ -e ${join(root, HOLD)} ]; do sleep 0.1; done`)] },
        { text: 'Done.' },
      ],
      after: [{ calls: [write('b.txt', 'two\n')] }, { text: 'Done after all.' }],
    }),
    async play({ ask, start, place, events }) {
      const running = await start('[[slow]] Take your time.');
      await running.until(join(place.project, 'begun.txt'));
      await running.kill();
      const session = sessionIn(await events());
      await ask('[[after]] Continue.', { resume: session });
      return [session];
    },
  },
];

/** A client that was killed has not always said which session it was in, but its hooks have. */
function sessionIn(events: readonly unknown[]): string {
  const ids = events.map((event) => {
    const { session_id, input } = event as { session_id?: string; input?: { sessionID?: string } };
    return session_id ?? input?.sessionID;
  });
  return ids.find((id) => id !== undefined)!;
}
