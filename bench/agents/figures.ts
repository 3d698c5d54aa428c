/** Hooks of a session in a repository of 5,000 files, and how a long session grows. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BY_NPX } from '../../src/agents/setup/plugin/host.ts';
import { scriptText } from '../../src/agents/setup/plugin/script.ts';
import type { Comparison, Figure, Measurement, Scratch } from '../harness.ts';
import { startHost } from './host.ts';

const FILES = 5_000;
const CALLS = 40;

export function agentFigures(scratch: Scratch): Figure[] {
  const hook = (name: string, atMost: number, how: string, time: Timed): Figure => ({
    name: `${name} / node -e 0`,
    bar: { atMost },
    how: `${how}; median of ${CALLS}, ${FILES} files in git, the host started as Claude Code starts it`,
    prepare: async () => compare(scratch.fresh('agents'), time),
  });
  return [
    hook('before a call', 0.35, 'PreToolUse of Write, until it is answered', 'before'),
    hook('after a file tool', 0.5, 'PostToolUse of Write', 'after file'),
    hook('after a shell', 0.7, 'PostToolUse of Bash, which made one file', 'after shell'),
    hook('before the call after a shell', 0.35, 'PreToolUse of Write, right after that', 'before next'),
    {
      name: "before a call, Gemini CLI's script / node -e 0",
      bar: { atMost: 0.35 },
      how: `BeforeTool of write_file by plugins/hook.sh as installed, a process of its own; median of ${CALLS}, ${FILES} files in git`,
      prepare: async () => compareScript(scratch.fresh('agents')),
    },
    {
      name: 'prompt of turn 1,000 / of turn 2',
      bar: { atMost: 1.3 },
      how: 'UserPromptSubmit of turns 981-1,000 against turns 2-21, one call each turn; medians',
      prepare: async () => growingPrompts(scratch.fresh('agents')),
    },
    {
      name: '1,000 calls, bytes / payload',
      bar: { atMost: 1.3 },
      how: 'what the JSON store has of 50 turns of 20 calls, 1 KB in and 4 KB out each, without what the files themselves take',
      prepare: async () => growth(scratch.fresh('agents')),
    },
  ];
}

type Timed = 'before' | 'after file' | 'after shell' | 'before next';

/** A session as a client tells it. */
async function openSession(dir: string, files: number) {
  makeRepository(dir, files);
  const host = await startHost(dir);
  const base = { session_id: `s-${dir.split('/').at(-1)}`, cwd: dir };
  let n = 0;
  const timed = async (payload: Readonly<Record<string, unknown>>): Promise<number> => {
    const began = performance.now();
    await host.hook({ ...base, ...payload });
    return performance.now() - began;
  };
  return {
    host,
    prompt: (text: string) =>
      timed({ hook_event_name: 'UserPromptSubmit', prompt: text, prompt_id: `p-${++n}` }),
    async call(tool: 'Write' | 'Bash', input: object, work: () => void, output: unknown = 'ok') {
      const call = { tool_name: tool, tool_use_id: `c-${++n}`, tool_input: input };
      const before = await timed({ hook_event_name: 'PreToolUse', ...call });
      work();
      const after = await timed({ hook_event_name: 'PostToolUse', ...call, tool_response: output });
      return { before, after };
    },
    stop: () => timed({ hook_event_name: 'Stop', last_assistant_message: 'done' }),
  };
}

async function compare(dir: string, what: Timed): Promise<Comparison> {
  const session = await openSession(dir, FILES);
  await session.prompt('begin');
  let n = 0;
  const once = async (): Promise<number> => {
    n++;
    const path = join(dir, `src/d${n % 50}/f${n % 100}.ts`);
    if (what === 'after shell' || what === 'before next') {
      const make = (): void => writeFileSync(join(dir, `made-${n}.txt`), `${n}`);
      const { after } = await session.call('Bash', { command: `make ${n}` }, make);
      if (what === 'after shell') return after;
    }
    const write = (): void => writeFileSync(path, `changed ${n}\n`);
    const took = await session.call('Write', { file_path: path, content: `changed ${n}\n` }, write);
    return what === 'after file' ? took.after : took.before;
  };
  return {
    floor: () => timeOfNode(dir),
    subject: async () => median(await times(CALLS, once)),
    close: () => session.host.close(),
  };
}

/** The hooks of a client that starts a program for each. */
async function compareScript(dir: string): Promise<Comparison> {
  makeRepository(dir, FILES);
  const host = await startHost(dir, 'gemini');
  const script = join(dir, '.git', 'hook.sh');
  writeFileSync(script, scriptText(BY_NPX));
  const hook = async (payload: object): Promise<number> => {
    const began = performance.now();
    const child = spawn('sh', [script, '--wait', 'gemini'], { cwd: dir, stdio: ['pipe', 'pipe', 'inherit'] });
    let answer = '';
    child.stdout.on('data', (part) => {
      answer += String(part);
    });
    child.stdin.end(JSON.stringify({ session_id: 's-gemini', cwd: dir, ...payload }));
    await once(child, 'close');
    const took = performance.now() - began;
    JSON.parse(answer); // Without a host it says nothing.
    return took;
  };
  await hook({ hook_event_name: 'BeforeAgent', prompt: 'begin' });
  let n = 0;
  const one = async (): Promise<number> => {
    n++;
    const path = join(dir, `src/d${n % 50}/f${n % 100}.ts`);
    const call = { tool_name: 'write_file', tool_input: { file_path: path, content: `changed ${n}\n` } };
    const took = await hook({ hook_event_name: 'BeforeTool', ...call });
    writeFileSync(path, `changed ${n}\n`);
    await hook({ hook_event_name: 'AfterTool', ...call, tool_response: { llmContent: 'ok' } });
    return took;
  };
  return {
    floor: () => timeOfNode(dir),
    subject: async () => median(await times(CALLS, one)),
    close: () => host.close(),
  };
}

async function growingPrompts(dir: string): Promise<Measurement> {
  const measure = async (): Promise<number> => {
    const session = await openSession(`${dir}-${Math.random().toString(36).slice(2)}`, 50);
    const took: number[] = [];
    for (let turn = 1; turn <= 1_000; turn++) {
      took.push(await session.prompt(`turn ${turn}`));
      await session.call('Bash', { command: 'true' }, () => {});
      await session.stop();
    }
    await session.host.close();
    return median(took.slice(980)) / median(took.slice(1, 21));
  };
  return { measure, close: async () => {} };
}

async function growth(dir: string): Promise<Measurement> {
  const measure = async (): Promise<number> => {
    const place = `${dir}-${Math.random().toString(36).slice(2)}`;
    const session = await openSession(place, 50);
    let payload = 0;
    for (let turn = 0; turn < 50; turn++) {
      await session.prompt(`turn ${turn}`);
      for (let n = 0; n < 20; n++) {
        const [command, output] = [text(1_000), text(4_000)];
        payload += command.length + output.length;
        await session.call('Bash', { command }, () => {}, output);
      }
      await session.stop();
    }
    await session.host.close();
    return sizeOf(join(place, '.vibe-engine', 'tasks')) / payload;
  };
  return { measure, close: async () => {} };
}

function makeRepository(dir: string, files: number): void {
  const folders = Math.max(1, files / 100);
  for (let d = 0; d < folders; d++) {
    mkdirSync(join(dir, `src/d${d}`), { recursive: true });
    for (let f = 0; f < files / folders; f++)
      writeFileSync(join(dir, `src/d${d}/f${f}.ts`), `export const n = ${d * 100 + f};\n`.repeat(20));
  }
  const git = (...args: string[]) => execFileSync('git', ['-C', dir, ...args], { stdio: 'ignore' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=b', '-c', 'user.email=b@localhost', 'commit', '-qm', 'files');
}

async function timeOfNode(cwd: string): Promise<number> {
  const took = await times(5, async () => {
    const began = performance.now();
    await once(spawn(process.execPath, ['-e', '0'], { cwd, stdio: 'ignore' }), 'exit');
    return performance.now() - began;
  });
  return median(took);
}

async function times(count: number, one: () => Promise<number>): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) took.push(await one());
  return took;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Words that do not repeat much, as a compiler or a person writes them. */
function text(length: number): string {
  let made = '';
  while (made.length < length) made += `${Math.random().toString(36).slice(2, 9)} `;
  return made.slice(0, length);
}

function sizeOf(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
