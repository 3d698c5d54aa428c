/** What the model may ask of us: its checkpoints, what changed, who has which file, and to go back and forth. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { NOTHING_RECORDED, noSuchTool, notAgreed, notOfSession } from '../../agents/for-models.ts';
import type { Host } from '../../agents/host/host.ts';
import type { Engine } from '../../engine/engine.ts';
import { handleSlashCommand, type SlashAnswer } from '../../verbs/slash.ts';

export function sessionText(host: Host): Promise<string> {
  return run({ host }, (task) => ['show', task]);
}

interface Asking {
  readonly host: Host;
  /** The session that asks, where the client says so; default: the one of the newest event. */
  readonly session?: string | undefined;
}

export async function callTool(
  asking: Asking,
  name: string,
  given: Readonly<Record<string, unknown>>,
  server: Server,
): Promise<string> {
  const checkpoint = typeof given.checkpoint === 'string' ? given.checkpoint : '';
  const agreed = given.confirmed === true ? async () => true : (preview: string) => ask(server, preview);
  switch (name) {
    case 'checkpoints':
      return run(asking, (task) => ['checkpoints', 'list', task]);
    case 'diff':
      return run(asking, async (task, { checkpoints }) => {
        const [first, ...later] = (await checkpoints.listCheckpoints(task)).map(({ id }) => id);
        return ['checkpoints', 'diff', checkpoint || first!, later.at(-1) ?? first!, '--patch'];
      });
    case 'who_has':
      return run(asking, () => ['locks']);
    case 'rewind':
      return move(asking, () => ['rollback', checkpoint], ['--yes'], agreed);
    case 'redo':
      return move(asking, (task) => ['redo', task], [], agreed);
    default:
      return noSuchTool(name);
  }
}

/** Shows what would happen, and does it once the person agrees. */
async function move(
  { host, session }: Asking,
  words: (task: string) => readonly string[],
  yes: readonly string[],
  agreed: (preview: string) => Promise<boolean>,
): Promise<string> {
  const current = await host.current(session);
  const task = current?.session.task();
  if (!current || task == null) return NOTHING_RECORDED;
  const type = (more: readonly string[]) => typed([...words(task), ...more], current.engine);
  const preview = await type(['--dry-run']);
  const text = preview.lines.join('\n');
  if (!preview.ok) return text;
  if ((preview.data as { task: string }).task !== task) return notOfSession(text);
  if (!(await agreed(text))) return notAgreed(text);
  let said: readonly string[] = [];
  await current.session.move(async () => {
    const { ok, lines } = await type(yes);
    said = lines;
    return ok;
  });
  return said.join('\n');
}

/** False also where the client cannot ask. */
async function ask(server: Server, message: string): Promise<boolean> {
  if (!server.getClientCapabilities()?.elicitation) return false;
  const requestedSchema = { type: 'object' as const, properties: {} };
  return (await server.elicitInput({ message, requestedSchema })).action === 'accept';
}

type Words = (task: string, engine: Engine) => readonly string[] | Promise<readonly string[]>;

async function run({ host, session }: Asking, words: Words): Promise<string> {
  const current = await host.current(session);
  const task = current?.session.task();
  if (!current || task == null) return NOTHING_RECORDED;
  const { lines } = await typed(await words(task, current.engine), current.engine);
  return lines.join('\n');
}

function typed(words: readonly string[], engine: Engine): Promise<SlashAnswer> {
  const line = words.map((word) => `"${word.replaceAll(/["\\]/g, '')}"`);
  return handleSlashCommand(`/${line.join(' ')}`, engine);
}
