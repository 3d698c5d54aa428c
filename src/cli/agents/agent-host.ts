/**
 * `agent-host`: the process that records the sessions of an agent's program. The program starts it as an MCP server and
 * calls its tool `hook`; when the program dies, its input ends, and so does this.
 */

import { CLIENTS } from '../../agents/all/clients.ts';
import type { Payload } from '../../agents/client.ts';
import { openHost } from '../../agents/host/host.ts';
import { CLIENT_NAMES } from '../../agents/names.ts';
import { socketPath, taskSocketPath } from '../../agents/socket-path.ts';
import { openEngine } from '../../engine/engine.ts';
import { askIfThere, serveAt } from '../../system/process/local-service.ts';
import { languageOf, speak } from '../../verbs/text/choose.ts';
import { translator } from '../../verbs/text/translate.ts';
import { projectDir } from '../common/project.ts';
import { toldOnce } from '../common/told-once.ts';
import type { HookWithin } from '../running/within.ts';
import { serveMcp } from './mcp.ts';

interface AgentHostOptions {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** For lines that nobody may see: the client's log. */
  readonly log: (line: string) => void;
}

/** Resolves with an exit code when the client is gone. */
export async function agentHost({ args, env, cwd, log }: AgentHostOptions): Promise<number> {
  const language = languageOf(env);
  const say = await speak(language);
  const client = CLIENTS.find(({ name }) => name === args[0]);
  if (!client) {
    log(say('agents.usage', { clients: CLIENT_NAMES.join('|') }));
    return 2;
  }
  const strict = args.includes('--strict');
  const path = socketPath(client.name, clientProcess(args), env);
  let isElsewhere = false;
  const host = openHost({
    client,
    strict,
    // As Claude Code says it: `sdk-cli` with -p, `cli` at a screen.
    unattended: env.CLAUDE_CODE_ENTRYPOINT?.startsWith('sdk') ?? false,
    task: env.VIBE_ENGINE_TASK || undefined,
    toTask(payload) {
      const told: HookWithin = { client: client.name, process: clientProcess(args), strict, payload };
      return askIfThere(taskSocketPath(env.VIBE_ENGINE_TASK!, env), told);
    },
    toHost: async (payload) => (isElsewhere ? askIfThere(path, payload) : null),
    open: (dir) => openForSession(projectDir(dir || cwd, undefined)),
    complain: toldOnce({ say, translate: await translator(language) }, log),
  });
  const heard = client.hosts === 'shared' || args.includes('--socket');
  const service = heard ? await serveAt(path, (body) => host.hook(body as Payload)) : null;
  // Another host of the same client has the sessions: a client may start one for each of its sub-agents.
  isElsewhere = heard && !service;
  await serveMcp(host);
  await service?.close();
  await host.close();
  return 0;
}

/** The one that started this, or the relay between. */
function clientProcess(args: readonly string[]): number {
  const named = args.find((arg) => arg.startsWith(NAMED))?.slice(NAMED.length);
  return named === undefined ? process.ppid : Number(named);
}

const NAMED = '--client-process=';

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
