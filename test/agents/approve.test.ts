/** Calls that a person has to approve: the recorded events of Claude Code, with a host that ends and starts again in between. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLIENTS } from '../../src/agents/all/clients.ts';
import type { Payload } from '../../src/agents/client.ts';
import { needsApproval } from '../../src/agents/host/approving.ts';
import { openHost } from '../../src/agents/host/host.ts';
import { continuationOf } from '../../src/agents/rewind/rewind.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const FILE = join(import.meta.dirname, '..', 'clients', 'events', 'claude', 'shell.jsonl');

/** The recorded session of one shell command. */
function events(project: string): Payload[] {
  const text = readFileSync(FILE, 'utf8').replaceAll('{project-name}', 'project');
  const lines = text.replaceAll('{project}', project).replaceAll('{home}', project).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Payload);
}

async function hosted(
  project: string,
  { unattended = true, client = 'claude' }: { unattended?: boolean; client?: string } = {},
) {
  const config = { agents: { approve: ['Bash'] } };
  const engine = await openEngine({ project_dir: project, workspace: true, signals: false, config });
  const host = openHost({
    client: CLIENTS.find(({ name }) => name === client)!,
    open: async () => engine,
    unattended,
    complain: (error) => {
      throw error;
    },
  });
  return { engine, hook: (payload: Payload) => host.hook(payload), close: () => host.close() };
}

const decisionOf = (answer: unknown): string | undefined =>
  (answer as { hookSpecificOutput?: { permissionDecision?: string } }).hookSpecificOutput?.permissionDecision;

const stepsOf = async (engine: Engine, task: string) =>
  (await engine.history(task)).steps.map(({ name, status }) => `${name} ${status}`);

test.each([
  [true, 'allow', 'tool:Bash success'],
  [false, 'deny', 'tool:Bash skipped'],
] as const)('a call waits across processes for an answer: %s', async (answer, decision, step) => {
  const project = tempDir();
  const all = events(project);
  const of = (name: string) => all.find(({ hook_event_name }) => hook_event_name === name)!;
  const first = await hosted(project);
  await first.hook(of('UserPromptSubmit'));
  expect(decisionOf(await first.hook(of('PreToolUse')))).toBe('defer');
  await first.close(); // The client ends, and its host with it.

  const other = await openEngine({ project_dir: project, signals: false });
  const [asked] = await other.reader.questions();
  expect(asked).toMatchObject({ kind: 'wait', waits_for: 'human_approval', options: ['yes', 'no'] });
  expect(asked!.text).toMatch(/^Claude Code wants to run Bash\(.+\)\. Allow it\?$/);
  const { task, id } = asked!;
  expect(await other.state(task)).toMatchObject({ status: 'waiting' });
  expect(await continuationOf(other.storage, task, () => new Date())).toMatchObject({ headless: true });

  // Resumed too early, it waits again.
  const early = await hosted(project);
  expect(decisionOf(await early.hook(of('PreToolUse')))).toBe('defer');
  await early.close();
  expect(await other.reader.questions()).toMatchObject([{ id, task }]);

  await other.answer(task, answer, { wait: id, by: 'ann' });
  await expect(other.answer(task, true, { wait: id })).rejects.toMatchObject({ code: 'QUESTION_ANSWERED' });
  const second = await hosted(project);
  const told = await second.hook(of('PreToolUse'));
  expect(decisionOf(told)).toBe(decision);
  if (!answer) expect(JSON.stringify(told)).toContain('ann refused this call');
  else await second.hook(of('PostToolUse'));
  await second.hook({ ...of('UserPromptSubmit'), prompt: 'Continue from where you left off.' });
  await second.hook(of('Stop'));
  expect(await other.state(task)).toMatchObject({ status: 'in_progress' });
  expect(await stepsOf(other, task)).toEqual([step]);
  expect(await other.reader.questions()).toEqual([]);
  await second.close();
  await other.close();
});

test('of several calls in one answer one waits, the others that need approval are refused, and the rest runs', async () => {
  const project = tempDir();
  const all = events(project);
  const of = (name: string) => all.find(({ hook_event_name }) => hook_event_name === name)!;
  const call = of('PreToolUse');
  const free = {
    ...call,
    tool_name: 'Write',
    tool_use_id: 'free',
    tool_input: { file_path: `${project}/b.txt` },
  };
  const first = await hosted(project);
  await first.hook(of('UserPromptSubmit'));
  expect(decisionOf(await first.hook(call))).toBe('defer');
  expect(await first.hook(free)).toEqual({});
  await first.hook({ ...free, hook_event_name: 'PostToolUse', tool_response: 'ok' });
  const refused = await first.hook({ ...call, tool_use_id: 'another' });
  expect(decisionOf(refused)).toBe('deny');
  expect(JSON.stringify(refused)).toContain('in an answer of its own');
  await first.close();

  const other = await openEngine({ project_dir: project, signals: false });
  const questions = await other.reader.questions();
  expect(questions).toMatchObject([{ id: expect.stringContaining(String(call.tool_use_id)) }]);
  const [{ task, id }] = questions as [(typeof questions)[number]];
  await other.answer(task, true, { wait: id, by: 'ann' });
  const second = await hosted(project);
  expect(decisionOf(await second.hook(call))).toBe('allow');
  await second.hook(of('PostToolUse'));
  await second.hook(of('Stop'));
  expect(await stepsOf(other, task)).toEqual([
    'tool:Write success',
    'tool:Bash skipped',
    'tool:Bash success',
  ]);
  await second.close();
  await other.close();
});

test('a person at the screen is asked there, and a client that cannot wait is refused', async () => {
  const project = tempDir();
  const all = events(project);
  const call = all.find(({ hook_event_name }) => hook_event_name === 'PreToolUse')!;
  const attended = await hosted(project, { unattended: false });
  expect(decisionOf(await attended.hook(call))).toBe('ask');
  await attended.close();
  const codex = await hosted(tempDir(), { client: 'codex' });
  expect(decisionOf(await codex.hook(call))).toBe('deny');
  await codex.close();
});

test('rules name tools, and what they are called with', () => {
  const bash = (command: string) => ['Bash', { command }] as const;
  expect(needsApproval([], ...bash('ls'))).toBe(false);
  expect(needsApproval(['Bash'], ...bash('ls'))).toBe(true);
  expect(needsApproval(['Bash(git push*)'], ...bash('git push origin'))).toBe(true);
  expect(needsApproval(['Bash(git push*)'], ...bash('ls; git push'))).toBe(false);
  expect(needsApproval(['Bash(*git push*)'], ...bash('ls\ngit push'))).toBe(true);
  expect(needsApproval(['mcp__*__delete_*'], 'mcp__hub__delete_repo', {})).toBe(true);
  expect(needsApproval(['Write(/etc/*)'], 'Write', { file_path: '/etc/passwd' })).toBe(true);
  expect(needsApproval(['*a*b'], 'ab', {})).toBe(true);
  expect(needsApproval(['a*a'], 'a', {})).toBe(false);
});
