/** Every session, with our hooks: each call is recorded once, of the right agent, with how it ended, and the files are the session's. */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hooked, type Shown, setHooked } from '../hooked.ts';
import type { ClientName } from '../install.ts';
import { SESSIONS, type Session } from '../sessions.ts';
import type { Check, Outcome } from './check.ts';

type Kind = 'write' | 'edit' | 'shell' | 'mcp' | 'agent' | 'wait' | 'hand_in';

const TOOLS: Readonly<Record<ClientName, Partial<Record<Kind, string>>>> = {
  claude: { write: 'Write', edit: 'Edit', shell: 'Bash', mcp: 'mcp__test__note', agent: 'Agent' },
  codex: {
    write: 'apply_patch',
    edit: 'apply_patch',
    shell: 'Bash',
    mcp: 'mcp__test__note',
    agent: 'spawn_agent',
    wait: 'multi_agent_v1wait_agent',
  },
  gemini: {
    write: 'write_file',
    edit: 'replace',
    shell: 'run_shell_command',
    mcp: 'mcp_test_note',
    agent: 'invoke_agent',
    hand_in: 'complete_task',
  },
  opencode: { write: 'write', edit: 'edit', shell: 'bash', mcp: 'test_note', agent: 'task' },
};

/** As they are begun; those that a client does not have are not made. `sub` is a call of the sub-agent. */
interface Due {
  readonly calls: readonly (Kind | readonly [kind: Kind, status: string] | { readonly sub: Kind })[];
  readonly files: readonly string[];
  /** Clients that refuse the calls before any hook is told of them. */
  readonly untold?: readonly ClientName[];
}

/** Of each session its tasks. */
const DUE: Readonly<Record<string, readonly Due[]>> = {
  write: [{ calls: ['write'], files: ['a.txt'] }],
  edit: [{ calls: ['write', 'edit'], files: ['a.txt'] }],
  shell: [{ calls: ['shell'], files: ['a.txt', 'base.txt'] }],
  plain: [{ calls: ['shell'], files: ['a.txt'] }],
  failing: [{ calls: [['shell', 'failed']], files: [] }],
  refused: [{ calls: [['shell', 'skipped'], 'write'], files: ['a.txt'] }],
  unasked: [{ calls: [['write', 'skipped']], files: [], untold: ['gemini'] }],
  mcp: [{ calls: ['mcp'], files: ['a.txt'] }],
  agent: [{ calls: ['agent', { sub: 'write' }, { sub: 'hand_in' }, 'wait'], files: ['part.txt'] }],
  background: [{ calls: ['agent', { sub: 'write' }], files: ['part.txt'] }],
  parallel: [{ calls: ['shell', 'shell'], files: ['a.txt', 'b.txt'] }],
  resumed: [{ calls: ['write', 'write'], files: ['a.txt', 'b.txt'] }],
  forked: [
    { calls: ['write'], files: ['a.txt'] },
    { calls: ['write'], files: ['b.txt'] },
  ],
};

export const sessions: Check = {
  name: 'sessions',
  async *run(client) {
    for (const git of [true, false]) {
      const played = SESSIONS.filter((session) => session.name in DUE && (session.git ?? true) === git);
      const scripts = (root: string) => Object.assign({}, ...played.map((session) => session.scripts(root)));
      await using stage = await setHooked(client, scripts, { git });
      yield* playedIn(stage, played);
    }
  },
};

async function* playedIn(stage: Hooked, played: readonly Session[]): AsyncGenerator<Outcome> {
  const before = new Set<string>();
  for (const { name, not, play } of played) {
    const skipped = not?.[stage.client];
    if (skipped !== undefined) {
      yield { part: name, problems: [], skipped };
      continue;
    }
    await play(stage);
    const made = (await stage.tasks()).filter(({ id }) => !before.has(id));
    for (const { id } of made) before.add(id);
    const shown = await Promise.all(made.map(({ id }) => stage.show(id)));
    const inOrder = shown.toSorted((a, b) => a.files.changed.join().localeCompare(b.files.changed.join()));
    const due = DUE[name]!;
    const problems =
      made.length === due.length
        ? inOrder.flatMap((one, at) => wrongIn(stage.client, due[at]!, one))
        : [`there are ${made.length} tasks of it instead of ${due.length}`];
    yield { part: name, problems };
    await clear(stage);
  }
}

function wrongIn(client: ClientName, due: Due, { task, history, files }: Shown): string[] {
  const calls = history.steps.map(({ name, agent, status }) => `${name} ${agent ? 'sub' : 'main'} ${status}`);
  return [
    ...differ('calls', calls.toSorted().join(', '), dueCalls(client, due).toSorted().join(', ')),
    ...differ('files', files.changed.join(), due.files.join()),
    ...differ('idle', String(task.idle), 'true'),
    ...differ('holder', String(task.holder), 'null'),
  ];
}

function dueCalls(client: ClientName, { calls, untold = [] }: Due): string[] {
  if (untold.includes(client)) return [];
  return calls.flatMap((call) => {
    const [kind, status] =
      typeof call === 'string' ? [call, 'success'] : 'sub' in call ? [call.sub, 'success'] : call;
    const tool = TOOLS[client][kind];
    const by = typeof call === 'object' && 'sub' in call ? 'sub' : 'main';
    return tool === undefined ? [] : [`tool:${tool} ${by} ${status}`];
  });
}

function differ(what: string, found: string, due: string): string[] {
  return found === due ? [] : [`${what}: "${found}" instead of "${due}"`];
}

/** What a task did this shortly before may count as its own when the next one does exactly the same. */
const APART_MS = 6_000;

/** The files as before the first session. */
async function clear({ place }: Hooked): Promise<void> {
  await sleep(APART_MS);
  for (const name of ['a.txt', 'b.txt', 'part.txt']) await rm(join(place.project, name), { force: true });
  const base = join(place.project, 'base.txt');
  if (existsSync(base)) await writeFile(base, 'base\n');
}
