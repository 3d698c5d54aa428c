/** The host of a session, told what real clients told: the recorded events, with what their tools did in between. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CLIENTS } from '../../src/agents/all/clients.ts';
import type { Payload } from '../../src/agents/client.ts';
import { type Host, openHost } from '../../src/agents/host/host.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { tempDirs } from '../support/temp.ts';
import { callsOf } from './calls-of.ts';

const tempDir = tempDirs();
const EVENTS = join(import.meta.dirname, '..', 'clients', 'events');

type Recorded = 'claude' | 'codex' | 'gemini';

interface ConversationPoint {
  readonly project: string;
  readonly home: string;
}

function newPlace(): ConversationPoint {
  const root = tempDir();
  const place = { project: join(root, 'project'), home: join(root, 'home') };
  mkdirSync(place.project);
  return place;
}

function recorded(client: Recorded, file: string, { project, home }: ConversationPoint): string {
  return readFileSync(join(EVENTS, client, file), 'utf8')
    .replaceAll('{project-name}', 'project')
    .replaceAll('{project}', project)
    .replaceAll('{home}', home);
}

function eventsOf(client: Recorded, session: string, place: ConversationPoint): Payload[] {
  const lines = recorded(client, `${session}.jsonl`, place).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Payload);
}

async function open(
  client: Recorded,
  { project }: ConversationPoint,
  more: { readonly behind_ms?: number } = {},
): Promise<{ engine: Engine; host: Host }> {
  const engine = await openEngine({ project_dir: project, workspace: true, signals: false });
  const host = openHost({
    client: CLIENTS.find(({ name }) => name === client)!,
    open: async () => engine,
    complain: (error) => {
      throw error;
    },
    ...more,
  });
  return { engine, host };
}

/** Each tool does its work after its call was answered, as in the client. */
async function replay(client: Recorded, session: string): Promise<{ engine: Engine; host: Host }> {
  const place = newPlace();
  const { engine, host } = await open(client, place);
  const events = eventsOf(client, session, place);
  const transcript = events[0]!.transcript_path as string;
  mkdirSync(dirname(transcript), { recursive: true });
  writeFileSync(transcript, recorded(client, `${session}.transcript.jsonl`, place));
  for (const event of events) {
    await host.hook(event);
    if (isCall(event) && !REFUSED.test(JSON.stringify(event))) work(place.project, event);
  }
  return { engine, host };
}

function isCall({ hook_event_name }: Payload): boolean {
  return hook_event_name === 'PreToolUse' || hook_event_name === 'BeforeTool';
}

const REFUSED = /git push|deny-me/;

function work(project: string, event: Payload): void {
  const tool = String(event.tool_name);
  const input = event.tool_input as Readonly<Record<string, string>>;
  if (tool === 'Write' || tool === 'write_file') writeFileSync(input.file_path!, input.content!);
  else if (tool === 'Edit' || tool === 'replace') {
    const before = readFileSync(input.file_path!, 'utf8');
    writeFileSync(input.file_path!, before.replace(input.old_string!, input.new_string!));
  } else if (tool === 'apply_patch') patch(project, input.command!);
  else if (/note$/.test(tool)) writeFileSync(join(project, input.file!), input.text!);
  else if (/^(?:Bash|run_shell_command)$/.test(tool))
    spawnSync('sh', ['-c', input.command!], { cwd: project });
}

/** As much of the form as the recordings use. */
function patch(project: string, text: string): void {
  const [, path] = /^\*\*\* (?:Add|Update) File: (.+)$/m.exec(text)!;
  const added = [...text.matchAll(/^\+(.*)$/gm)].map(([, line]) => `${line}\n`).join('');
  writeFileSync(join(project, path!), added);
}

const CALLS: Readonly<Record<Recorded, Readonly<Record<string, readonly unknown[]>>>> = {
  claude: {
    write: [['Write', '', 'success']],
    edit: [
      ['Write', '', 'success'],
      ['Edit', '', 'success'],
    ],
    shell: [['Bash', '', 'success']],
    failing: [['Bash', '', 'error']],
    refused: [
      ['Write', '', 'success'],
      ['Bash', '', 'refused'],
    ],
    denied: [
      ['Write', '', 'success'],
      ['Bash', '', 'refused'],
    ],
    mcp: [['mcp__test__note', '', 'success']],
    agent: [
      ['Write', '/general', 'success'],
      ['Agent', '', 'success'],
    ],
    parallel: [
      ['Bash', '', 'success'],
      ['Bash', '', 'success'],
    ],
  },
  codex: {
    edit: [
      ['apply_patch', '', 'success'],
      ['apply_patch', '', 'success'],
    ],
    shell: [['Bash', '', 'success']],
    failing: [['Bash', '', 'error']],
    refused: [
      ['apply_patch', '', 'success'],
      ['Bash', '', 'refused'],
    ],
    mcp: [['mcp__test__note', '', 'success']],
    agent: [
      ['spawn_agent', '', 'success'],
      ['apply_patch', '/agent', 'success'],
      ['multi_agent_v1wait_agent', '', 'success'],
    ],
    parallel: [
      ['Bash', '', 'success'],
      ['Bash', '', 'success'],
    ],
  },
  gemini: {
    edit: [
      ['write_file', '', 'success'],
      ['replace', '', 'success'],
    ],
    failing: [['run_shell_command', '', 'error']],
    refused: [
      ['write_file', '', 'success'],
      ['run_shell_command', '', 'refused'],
    ],
    mcp: [['mcp_test_note', '', 'success']],
    agent: [
      ['write_file', '/generalist', 'success'],
      ['complete_task', '/generalist', 'success'],
      ['invoke_agent', '', 'success'],
    ],
    parallel: [
      ['run_shell_command', '', 'success'],
      ['run_shell_command', '', 'success'],
    ],
  },
};

/** What the tools of each session leave. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  failing: [],
  shell: ['a.txt', 'base.txt'],
  agent: ['part.txt'],
  parallel: ['a.txt', 'b.txt'],
};

const SESSIONS = Object.entries(CALLS).flatMap(([client, sessions]) =>
  Object.keys(sessions).map((session) => [client as Recorded, session] as const),
);

test.for(SESSIONS)('%s, %s: every call once, by whom, and how it ended', async ([client, session]) => {
  const { engine, host } = await replay(client, session);
  await host.close();
  const again = await openEngine({ project_dir: engine.project_dir, signals: false });
  expect(await callsOf(again)).toEqual(CALLS[client][session]);
  const [task] = await again.tasks();
  expect(task).toMatchObject({ status: 'in_progress', data: { idle_since: expect.any(String) } });
  const changed = (await again.reader.changedFiles(task!.task_id))?.changed;
  expect(changed).toEqual(FILES[session] ?? ['a.txt']);
  await again.close();
});

test.for(['claude', 'codex', 'gemini'] as const)(
  '%s: what the assistant said is in the conversation once, from the transcript',
  async (client) => {
    const { engine, host } = await replay(client, 'parallel');
    await host.close();
    expect(await saidIn(engine.project_dir)).toEqual(['[[parallel]] Do both.', 'Both at once.', 'Done.']);
  },
);

async function saidIn(project_dir: string): Promise<unknown[]> {
  const engine = await openEngine({ project_dir, signals: false });
  const [task] = await engine.tasks();
  const [last] = (await engine.checkpoints.listCheckpoints(task!.task_id)).toReversed();
  const { messages } = (await engine.checkpoints.loadCheckpoint(last!.id))!.context;
  await engine.close();
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
  return messages.map(({ content }) => content);
}

test('what the client writes into its own record only after the end of a turn is in the conversation, too', async () => {
  const place = newPlace();
  const { engine, host } = await open('claude', place, { behind_ms: 600_000 });
  const events = eventsOf('claude', 'parallel', place);
  const transcript = events[0]!.transcript_path as string;
  const lines = recorded('claude', 'parallel.transcript.jsonl', place);
  const said = lines.split('\n').findIndex((line) => line.includes('Both at once.'));
  mkdirSync(dirname(transcript), { recursive: true });
  writeFileSync(transcript, lines.split('\n').slice(0, said).join('\n') + '\n');
  for (const event of events.filter((one) => one.hook_event_name !== 'Stop')) await host.hook(event);
  const stopped = host.hook(events.find((one) => one.hook_event_name === 'Stop')!);
  await new Promise((next) => setTimeout(next, 50));
  writeFileSync(transcript, lines);
  await stopped;
  await host.close();
  expect(await saidIn(engine.project_dir)).toEqual(['[[parallel]] Do both.', 'Both at once.', 'Done.']);
});

test.for(['claude', 'codex', 'gemini'] as const)(
  '%s: a call that was cut off is told before the model acts',
  async (client) => {
    const { host, answers } = await replayKilled(client);
    const told = JSON.stringify(answers);
    expect(told).toContain('was cut off');
    expect(told).toContain('begun.txt');
    await host.close();
  },
);

/** Up to the kill in one host; then the rest in another, `amid` right after its prompt. */
async function replayKilled(
  client: Recorded,
  amid: (second: Host, cut: Payload) => Promise<void> = async () => {},
): Promise<{ engine: Engine; host: Host; answers: readonly unknown[] }> {
  const place = newPlace();
  const events = eventsOf(client, 'killed', place);
  const cut = events.findLastIndex(({ hook_event_name }) => hook_event_name === 'SessionStart');
  const first = await open(client, place);
  for (const event of events.slice(0, cut)) {
    await first.host.hook(event);
    // The recorded command waits for a file that nobody removes here.
    if (JSON.stringify(event).includes('begun.txt'))
      writeFileSync(join(place.project, 'begun.txt'), 'begun\n');
    else if (isCall(event)) work(place.project, event);
  }
  await first.host.close(); // As when its client was killed in the middle of the call.
  const second = await open(client, place);
  const answers: unknown[] = [];
  for (const event of events.slice(cut)) {
    answers.push(await second.host.hook(event));
    if (isPrompt(event)) await amid(second.host, events.slice(0, cut).findLast(isCall)!);
  }
  return { ...second, answers };
}

function isPrompt({ hook_event_name }: Payload): boolean {
  return hook_event_name === 'UserPromptSubmit' || hook_event_name === 'BeforeAgent';
}

test.for(['claude', 'codex', 'gemini'] as const)(
  '%s: a cut-off call that is made again is refused once, and recorded each time',
  async (client) => {
    const { engine, host } = await replayKilled(client, async (second, cut) => {
      const refused = JSON.stringify(await second.hook({ ...cut, tool_use_id: 'again-1' }));
      expect(refused).toContain('deny');
      expect(refused).toContain('was cut off');
      expect(await second.hook({ ...cut, tool_use_id: 'again-2' })).toEqual({});
      const after = client === 'gemini' ? 'AfterTool' : 'PostToolUse';
      await second.hook({ ...cut, tool_use_id: 'again-2', hook_event_name: after, tool_response: {} });
    });
    const shell = client === 'gemini' ? 'run_shell_command' : 'Bash';
    expect((await callsOf(engine)).filter((call) => (call as string[])[0] === shell)).toEqual([
      [shell, '', 'unknown'],
      [shell, '', 'success'],
      [shell, '', 'refused'],
    ]);
    await host.close();
  },
);

test.for(['claude', 'codex', 'gemini'] as const)(
  '%s: the result of a call that began before another host is its own',
  async (client) => {
    const place = newPlace();
    const events = eventsOf(client, 'shell', place);
    const [begin, end] = [events.findIndex(isCall), events.findIndex(isCall) + 1];
    const first = await open(client, place);
    for (const event of events.slice(0, end)) await first.host.hook(event);
    work(place.project, events[begin]!);
    await first.host.close(); // Killed alone: the client is at work, and starts another.
    const { engine, host } = await open(client, place);
    const answers: unknown[] = [];
    for (const event of events.slice(end)) answers.push(await host.hook(event));
    expect(JSON.stringify(answers)).not.toContain('cut off');
    const prompt = events.find(isPrompt)!;
    expect(JSON.stringify(await host.hook({ ...prompt, prompt: 'And now?' }))).not.toContain('cut off');
    await host.hook(
      events.findLast(({ hook_event_name }) => /^(?:Stop|AfterAgent)$/.test(`${hook_event_name}`))!,
    );
    const [task] = await engine.tasks();
    const { steps } = await engine.history(task!.task_id);
    const shell = client === 'gemini' ? 'run_shell_command' : 'Bash';
    expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([`tool:${shell} success`]);
    // It was in progress all the time: a rollback asks nothing.
    expect(await engine.reader.changedFiles(task!.task_id)).toMatchObject({ complete: true });
    await host.close();
  },
);

test('gemini: a call that was refused and is made again has its result', async () => {
  const place = newPlace();
  const { engine, host } = await open('gemini', place);
  const other = engine.attach({ client: 'claude', session: 'other' });
  const file = join(place.project, 'a.txt');
  await other.record({ type: 'turn', content: 'mine first' });
  const writes = { name: 'Write', danger: 'file_change', writes: [file] } as const;
  await other.record({ type: 'tool_call', id: 'w', ...writes });
  const events = eventsOf('gemini', 'write', place);
  for (const event of events) {
    if (isCall(event)) {
      expect(JSON.stringify(await host.hook(event))).toContain('being changed by');
      await other.record({ type: 'tool_result', id: 'w', output: 'ok' });
      await other.close();
    }
    await host.hook(event);
    if (isCall(event)) work(place.project, event);
  }
  await host.close();
  const again = await openEngine({ project_dir: place.project, signals: false });
  const [task] = (await again.tasks()).filter(({ task_id }) => task_id !== other.task);
  const { steps } = await again.history(task!.task_id);
  expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'tool:write_file skipped',
    'tool:write_file success',
  ]);
  await again.close();
});

test('an event that cannot be recorded does not stop the client, unless it is strict', async () => {
  const complaints: unknown[] = [];
  const options = {
    client: CLIENTS.find(({ name }) => name === 'claude')!,
    open: async () => {
      throw new Error('the disk is full');
    },
    complain: (error: unknown) => {
      complaints.push(error);
      return complaints.length === 1 ? 'told once' : null;
    },
  };
  const call = {
    hook_event_name: 'PreToolUse',
    session_id: 's',
    cwd: '/',
    tool_name: 'Bash',
    tool_use_id: 't',
    tool_input: '{"command":"ls"}',
  };
  const lenient = openHost(options);
  expect(await lenient.hook(call)).toEqual({ systemMessage: 'told once' });
  expect(await lenient.hook(call)).toEqual({});
  const strict = openHost({ ...options, strict: true });
  expect(await strict.hook(call)).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('full'),
    },
  });
});

test('a hook that takes too long is not waited for by those after it, until it has ended', async () => {
  const place = newPlace();
  const engine = await openEngine({ project_dir: place.project, workspace: true, signals: false });
  const opened = Promise.withResolvers<Engine>();
  const complaints: unknown[] = [];
  const host = openHost({
    client: CLIENTS.find(({ name }) => name === 'claude')!,
    open: () => opened.promise,
    limit_ms: 20,
    complain: (error) => {
      complaints.push(error);
      return complaints.length === 1 ? 'told once' : null;
    },
  });
  const [prompt] = eventsOf('claude', 'write', place).filter(isPrompt);
  expect(await host.hook(prompt!)).toEqual({ systemMessage: 'told once' });
  expect(await host.hook(prompt!)).toEqual({});
  expect(complaints[1]).toBe(complaints[0]); // Not one of its own, after a wait of its own.
  opened.resolve(engine);
  await expect.poll(() => engine.tasks()).toHaveLength(1);
  await host.close();
});

test.for(['interrupt', 'failure', 'nothing'] as const)(
  'a turn that is broken off ends, and its files are free: told by %s',
  async (told) => {
    const place = newPlace();
    const client = told === 'interrupt' ? 'codex' : 'claude';
    const engine = await openEngine({ project_dir: place.project, workspace: true, signals: false });
    const host = openHost({
      client: CLIENTS.find(({ name }) => name === client)!,
      open: async () => engine,
      quiet_ms: told === 'nothing' ? 10 : 600_000,
      complain: (error) => {
        throw error;
      },
    });
    const events = eventsOf(client, told === 'failure' ? 'shell' : 'write', place);
    const call = events.findIndex(isCall);
    for (const event of events.slice(0, call + 1)) await host.hook(event);
    const begun = events[call]!;
    if (told !== 'failure') work(place.project, begun);
    const end = events.find(({ hook_event_name }) => hook_event_name === 'PostToolUse')!;
    if (told === 'nothing') await host.hook(end);
    else if (told === 'failure')
      await host.hook({
        ...begun,
        hook_event_name: 'PostToolUseFailure',
        error: 'aborted',
        is_interrupt: true,
      });
    else await host.hook({ ...begun, hook_event_name: 'Interrupt' });
    await expect.poll(async () => (await engine.reader.locks()).tasks).toEqual([]);
    const [task] = await engine.tasks();
    expect(task).toMatchObject({ status: 'in_progress', data: { idle_since: expect.any(String) } });
    const { files } = await engine.reader.locks();
    expect(files.filter(({ expired }) => !expired)).toEqual([]);
    // What still comes of it is recorded no second time, and leaves the task free.
    if (told === 'interrupt') await host.hook(end);
    const { steps } = await engine.history(task!.task_id);
    expect(steps).toHaveLength(1);
    expect((await engine.reader.locks()).tasks).toEqual([]);
    await host.close();
  },
);
