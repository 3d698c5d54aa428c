/** What the model may ask of us: its checkpoints, what changed, who has which file, and to go back. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { NOTHING_RECORDED, noSuchTool, notAgreed } from '../../agents/host/for-models.ts';
import type { Host } from '../../agents/host/host.ts';
import type { Engine } from '../../engine/engine.ts';
import { handleSlashCommand } from '../../verbs/slash.ts';

export function sessionText(host: Host): Promise<string> {
  return run(host, (task) => ['show', task]);
}

export async function callTool(
  host: Host,
  name: string,
  given: Readonly<Record<string, unknown>>,
  server: Server,
): Promise<string> {
  const checkpoint = typeof given.checkpoint === 'string' ? given.checkpoint : '';
  switch (name) {
    case 'checkpoints':
      return run(host, (task) => ['checkpoints', 'list', task]);
    case 'diff':
      return run(host, async (task, { checkpoints }) => {
        const [first, ...later] = (await checkpoints.listCheckpoints(task)).map(({ id }) => id);
        return ['checkpoints', 'diff', checkpoint || first!, later.at(-1) ?? first!, '--patch'];
      });
    case 'who_has':
      return run(host, () => ['locks']);
    case 'rewind':
      return rewind(host, checkpoint, given.confirmed === true, server);
    default:
      return noSuchTool(name);
  }
}

async function rewind(host: Host, checkpoint: string, confirmed: boolean, server: Server): Promise<string> {
  const preview = await run(host, () => ['rollback', checkpoint, '--dry-run']);
  if (!confirmed && !(await agreed(server, preview))) return notAgreed(preview);
  await (await host.current())?.session.rest(); // The task must be free.
  return run(host, () => ['rollback', checkpoint, '--yes']);
}

/** False also where the client cannot ask. */
async function agreed(server: Server, message: string): Promise<boolean> {
  if (!server.getClientCapabilities()?.elicitation) return false;
  const requestedSchema = { type: 'object' as const, properties: {} };
  return (await server.elicitInput({ message, requestedSchema })).action === 'accept';
}

type Words = (task: string, engine: Engine) => readonly string[] | Promise<readonly string[]>;

async function run(host: Host, words: Words): Promise<string> {
  const current = await host.current();
  const task = current?.session.task();
  if (!current || task == null) return NOTHING_RECORDED;
  const line = (await words(task, current.engine)).map((word) => `"${word.replaceAll(/["\\]/g, '')}"`);
  const { lines } = await handleSlashCommand(`/${line.join(' ')}`, current.engine);
  return lines.join('\n');
}
