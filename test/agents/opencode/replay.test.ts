/** What opencode told its plugins, told to ours: with the host that it starts, and with what the tools did in between. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPENCODE_PLUGIN, opencodeFiles } from '../../../src/agents/setup/plugin/opencode.ts';
import { type Engine, openEngine } from '../../../src/engine/engine.ts';
import { MAIN } from '../../cli/cli.ts';
import { tempDirs } from '../../support/temp.ts';
import { callsOf } from '../calls-of.ts';

const tempDir = tempDirs();
const EVENTS = join(import.meta.dirname, '..', '..', 'clients', 'events', 'opencode');

interface Told {
  readonly hook: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: Readonly<Record<string, unknown>>;
}
type Plugin = Readonly<Record<string, (input: unknown, output?: unknown) => Promise<void>>>;

function eventsOf(session: string, project: string): Told[] {
  const text = readFileSync(join(EVENTS, `${session}.jsonl`), 'utf8').replaceAll('{project}', project);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told);
}

async function load(project: string): Promise<Plugin> {
  const file = join(tempDir(), 'plugin.mjs');
  writeFileSync(file, opencodeFiles([process.execPath, MAIN], false)[OPENCODE_PLUGIN]!);
  const { Vibe } = (await import(file)) as { Vibe: (at: { directory: string }) => Promise<Plugin> };
  return Vibe({ directory: project });
}

/** Ours as the host sees it: opencode's own record is not there. */
async function replay(session: string, change: (all: Told[]) => Told[] = (all) => all): Promise<Engine> {
  const project = join(tempDir(), 'project');
  mkdirSync(project);
  const plugin = await load(project);
  for (const { hook, input, output } of change(eventsOf(session, project))) {
    if (hook === 'event') await plugin.event!({ event: input });
    else await plugin[hook]?.(input, output);
    if (hook === 'tool.execute.before') work(project, String(input.tool), output!.args as Args);
  }
  return openEngine({ project_dir: project, workspace: true, signals: false });
}

type Args = Readonly<Record<string, string>>;

function work(project: string, tool: string, args: Args): void {
  if (/git push|deny-me/.test(args.command ?? '')) return;
  if (tool === 'write') writeFileSync(args.filePath!, args.content!);
  else if (tool === 'edit') {
    const before = readFileSync(args.filePath!, 'utf8');
    writeFileSync(args.filePath!, before.replace(args.oldString!, args.newString!));
  } else if (tool === 'test_note') writeFileSync(join(project, args.file!), args.text!);
  else if (tool === 'bash') spawnSync('sh', ['-c', args.command!], { cwd: project });
}

test.for([
  [
    'edit',
    [
      ['write', '', 'success'],
      ['edit', '', 'success'],
    ],
    ['a.txt'],
  ],
  ['shell', [['bash', '', 'success']], ['a.txt', 'base.txt']],
  ['failing', [['bash', '', 'error']], []],
  [
    'refused',
    [
      ['write', '', 'success'],
      ['bash', '', 'refused'],
    ],
    ['a.txt'],
  ],
  ['mcp', [['test_note', '', 'success']], ['a.txt']],
  [
    'agent',
    [
      ['write', '/general', 'success'],
      ['task', '', 'success'],
    ],
    ['part.txt'],
  ],
  [
    'parallel',
    [
      ['bash', '', 'success'],
      ['bash', '', 'success'],
    ],
    ['a.txt', 'b.txt'],
  ],
] as const)('%s: every call once, by whom, and how it ended', async ([session, calls, files]) => {
  const engine = await replay(session);
  expect(await callsOf(engine)).toEqual(calls);
  const [task] = await engine.tasks();
  expect(task).toMatchObject({ status: 'in_progress', data: { idle_since: expect.any(String) } });
  expect((await engine.reader.changedFiles(task!.task_id))?.changed).toEqual(files);
  await engine.close();
});

test('a tool that was broken off has run: what it changed is its own, and is taken back', async () => {
  const isEnd = ({ hook, input }: Told): boolean =>
    hook === 'tool.execute.after' || JSON.stringify(input).includes('"status":"completed"');
  const engine = await replay('shell', (all) =>
    all.flatMap((one): Told[] => {
      if (!isEnd(one)) return [one];
      if (one.hook !== 'event') return [];
      const { properties } = one.input as { properties: { part: object } };
      const state = { status: 'error', input: {}, error: 'Tool execution aborted' };
      return [
        {
          ...one,
          input: { ...one.input, properties: { ...properties, part: { ...properties.part, state } } },
        },
      ];
    }),
  );
  expect(await callsOf(engine)).toEqual([['bash', '', 'error']]);
  const [task] = await engine.tasks();
  expect((await engine.reader.changedFiles(task!.task_id))?.changed).toEqual(['a.txt', 'base.txt']);
  const [turn] = (await engine.checkpoints.listCheckpoints(task!.task_id)).filter(
    ({ trigger }) => trigger === 'before_turn',
  );
  await engine.rollback(turn!.id);
  expect(existsSync(join(engine.project_dir, 'a.txt'))).toBe(false);
  await engine.close();
});
