/** Codex's own server for programs, for as long as a few questions take. */
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { jsonIn } from '../../system/json.ts';
import { startLines } from '../../system/process/lines.ts';
import { VERSION } from '../../system/version.ts';

/** Throws COMMAND_FAILED if it refuses, ends or is silent. */
export type AskCodex = (method: string, params: unknown) => Promise<unknown>;

const LIMIT_MS = 60_000;

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

export async function withAppServer<T>(use: (ask: AskCodex) => Promise<T>): Promise<T> {
  const waiting = new Map<number, (reply: Reply) => void>();
  let asked = 0;
  const silence = () => {
    for (const answer of waiting.values()) answer({ error: { message: 'it ended' } });
  };
  const server = startLines(['codex', 'app-server'], {
    line: (line) => {
      const reply = jsonIn(line) as Reply | undefined;
      if (typeof reply?.id === 'number') waiting.get(reply.id)?.(reply);
    },
    closed: silence,
  });
  const ask: AskCodex = async (method, params) => {
    const id = ++asked;
    const { error, result } = await new Promise<Reply>((resolve) => {
      const limit = setTimeout(() => resolve({ error: { message: 'it does not answer' } }), LIMIT_MS);
      waiting.set(id, (reply) => {
        clearTimeout(limit);
        resolve(reply);
      });
      server.send(JSON.stringify({ id, method, params }));
    });
    waiting.delete(id);
    if (!error) return result;
    throw new EngineError('COMMAND_FAILED', phrase`Codex refused ${method}: ${error.message}`, {
      data: { method },
      hint: phrase`Run "codex app-server" yourself to see why, then try again.`,
    });
  };
  try {
    await ask('initialize', { clientInfo: { name: 'vibe-engine', version: VERSION } });
    server.send(JSON.stringify({ method: 'initialized' }));
    return await use(ask);
  } finally {
    await server.end();
  }
}
