/**
 * Where the host of a session listens for hooks that are programs. The host and the hook are children of the same client, and
 * that process is all that both know: Gemini tells its MCP servers no session.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from '../system/platform.ts';
import type { ClientName } from './client.ts';

/** A directory that must be private to the user: mode 0700, theirs, no link. `plugins/hook.sh` has the same rule. */
function socketDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_RUNTIME_DIR || join(tmpdir(), `vibe-engine-${process.getuid?.() ?? 'user'}`);
  return join(base, 'vibe-engine');
}

/** HTTP there: `POST /hook` with the payload, answered with the hook's output. `parent` is the client's process. */
export function socketPath(client: ClientName, parent: number, env: NodeJS.ProcessEnv = process.env): string {
  return pathOf(`${client}-${parent}`, env);
}

/** Where the process that runs a command as a task takes what hosts inside the command were told. */
export function taskSocketPath(task: string, env: NodeJS.ProcessEnv = process.env): string {
  return pathOf(task, env);
}

function pathOf(name: string, env: NodeJS.ProcessEnv): string {
  return platform.windows ? `\\\\.\\pipe\\vibe-engine-${name}` : join(socketDir(env), `${name}.sock`);
}
