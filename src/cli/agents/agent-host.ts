/**
 * `agent-host`: the process that records the sessions of an agent's program. The program starts it as an MCP server and
 * calls its tool `hook`; when the program dies, its input ends, and so does this.
 */

import { CLIENTS } from '../../agents/all/clients.ts';
import type { Payload } from '../../agents/client.ts';
import { type Host, openHost } from '../../agents/host/host.ts';
import { CLIENT_NAMES } from '../../agents/names.ts';
import { socketPath, taskSocketPath } from '../../agents/socket-path.ts';
import { openEngine } from '../../engine/engine.ts';
import { VibeError } from '../../errors.ts';
import { askAt, serveAt } from '../../system/process/local-service.ts';
import { languageOf, speak } from '../../verbs/text/choose.ts';
import { projectDir } from '../common/project.ts';
import type { HookWithin } from '../running/within.ts';
import { serveMcp } from './mcp.ts';

interface AgentHostOptions {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** For lines that nobody may see: the client's log. */
  readonly log: (line: string) => void;
}

/** How long an answer of another host may take. */
const LIMIT_MS = 25_000;

/** Resolves with an exit code when the client is gone. */
export async function agentHost({ args, env, cwd, log }: AgentHostOptions): Promise<number> {
  const say = await speak(languageOf(env));
  const client = CLIENTS.find(({ name }) => name === args[0]);
  if (!client) {
    log(say('agents.usage', { clients: CLIENT_NAMES.join('|') }));
    return 2;
  }
  const own = openHost({
    client,
    strict: args.includes('--strict'),
    // As Claude Code says it: `sdk-cli` with -p, `cli` at a screen.
    unattended: env.CLAUDE_CODE_ENTRYPOINT?.startsWith('sdk') ?? false,
    task: env.VIBE_ENGINE_TASK || undefined,
    forward: (payload) => askCommand(env, { client: client.name, process: clientProcess(args), payload }),
    open: (dir) => openForSession(projectDir(dir || cwd, undefined)),
    complain: once(log, (why) => say('agents.not_recorded', { why })),
  });
  const path = socketPath(client.name, clientProcess(args), env);
  const heard = client.hosts === 'shared' || args.includes('--socket');
  const service = heard ? await serveAt(path, (body) => own.hook(body as Payload)) : null;
  // Another host of the same client has the sessions: a client may start one for each of its sub-agents.
  const host = heard && !service ? forwarding(own, path) : own;
  await serveMcp(host);
  await service?.close();
  await own.close();
  return 0;
}

/** The process of `exec`, in whose command this runs. */
async function askCommand(env: NodeJS.ProcessEnv, told: HookWithin): Promise<unknown> {
  try {
    return await askAt(taskSocketPath(env.VIBE_ENGINE_TASK!, env), told, LIMIT_MS);
  } catch (error) {
    if (NOBODY.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

const NOBODY: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED']);

/** The one that started this, or the relay between. */
function clientProcess(args: readonly string[]): number {
  const named = args.find((arg) => arg.startsWith(NAMED))?.slice(NAMED.length);
  return named === undefined ? process.ppid : Number(named);
}

const NAMED = '--client-process=';

/** To the other host for as long as it lives. */
function forwarding(own: Host, path: string): Host {
  return { ...own, hook: (payload) => askAt(path, payload, LIMIT_MS).catch(() => own.hook(payload)) };
}

/**
 * Nobody can be asked, and nothing pauses the session by itself: the person sits at the client. The client ends this process
 * with a signal, too, and it stops as at the end of its input.
 */
function openForSession(project_dir: string) {
  return openEngine({
    project_dir,
    workspace: true,
    signals: false,
    telemetry: false,
    config: { drift: { every_minutes: null, before_resume: false } },
  });
}

/** Each problem is told once. */
function once(
  log: (line: string) => void,
  notRecorded: (why: string) => string,
): (error: unknown) => string | null {
  const told = new Set<string>();
  return (error) => {
    const why = error instanceof Error ? error.message : String(error);
    const line = notRecorded(error instanceof VibeError ? `${why} ${error.hint}` : why);
    if (told.has(line)) return null;
    told.add(line);
    log(line);
    return line;
  };
}
