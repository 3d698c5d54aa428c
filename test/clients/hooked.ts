/** A stage whose client has our hooks, installed by our own command line, and nothing else. */
import { readdirSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientName } from './install.ts';
import type { Scripts } from './model/script.ts';
import { type Stage, setStage } from './stage.ts';

export const MAIN: string = fileURLToPath(new URL('../../bin/vibe-engine.js', import.meta.url));

export interface Hooked extends Stage {
  /** The program by which the client starts the host. */
  readonly node: string;
  /** The data of one of our commands. Throws with what it said when it fails. */
  vibe<T = unknown>(...args: string[]): Promise<T>;
  tasks(): Promise<readonly Task[]>;
  show(task: string): Promise<Shown>;
  /** The processes that record this client's sessions now. */
  hosts(): readonly number[];
  /** With what stands between. */
  ours(): readonly number[];
}

export interface Task {
  readonly id: string;
  readonly status: string;
  readonly idle: boolean;
  readonly resumable: boolean;
  readonly client: string | null;
  readonly session: string;
  readonly holder: string | null;
}

export interface Shown {
  readonly task: Task;
  readonly history: { readonly steps: readonly Step[] };
  readonly files: { readonly changed: readonly string[]; readonly in_doubt: readonly string[] };
  readonly turns: readonly { readonly checkpoint: string; readonly ref: string }[];
}

export interface Step {
  readonly name: string;
  readonly agent: string | null;
  readonly status: string;
}

export async function setHooked(
  client: ClientName,
  scripts: (root: string) => Scripts,
  options: {
    readonly git?: boolean;
    readonly beside?: Stage;
    readonly strict?: boolean;
    readonly own_node?: boolean;
  } = {},
): Promise<Hooked> {
  const stage = await setStage(client, scripts, { ...options, record: false });
  const node = options.own_node ? join(stage.root, 'node') : process.execPath;
  if (options.own_node) await copyFile(process.execPath, node);
  const vibe = <T>(...args: string[]) => vibeBy<T>(process.execPath, ...args);
  const vibeBy = async <T>(program: string, ...args: string[]): Promise<T> => {
    const { stdout, stderr } = await stage.other(program, MAIN, ...args, '--json');
    const { ok, data } = JSON.parse(stdout || '{}') as { ok?: boolean; data?: T };
    if (ok !== true) throw new Error(`vibe-engine ${args.join(' ')}: ${stdout}${stderr}`);
    return data!;
  };
  const more = [...(client === 'codex' ? ['--trust'] : []), ...(options.strict ? ['--strict'] : [])];
  await vibeBy(node, 'hooks', 'install', client, ...more);
  return {
    ...stage,
    node,
    vibe,
    tasks: async () => (await vibe<{ tasks: readonly Task[] }>('tasks')).tasks,
    show: (task) => vibe<Shown>('show', task),
    hosts: () => oursIn(stage.place.home).filter((id) => !has(id, 'cmdline', '--relay')),
    ours: () => oursIn(stage.place.home),
  };
}

/** Told by their home, which no other stage has. */
function oursIn(home: string): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids
    .map(Number)
    .filter((id) => has(id, 'cmdline', 'agent-host') && has(id, 'environ', `HOME=${home}`));
}

function has(id: number, file: string, text: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${id}/${file}`, 'utf8')}`.includes(`\0${text}\0`);
  } catch {
    return false; // It has ended.
  }
}
