/** A process with one contender in it, which does what it is told: nobody's garbage or timers are in another's figures. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actions, Call, Place, Reply } from './protocol.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
/** A run is unattended: who hangs is given up. */
const LIMIT_MS = 300_000;

export interface Worker {
  call<Name extends keyof Actions>(
    name: Name,
    ...args: Parameters<Actions[Name]>
  ): Promise<Awaited<ReturnType<Actions[Name]>>>;
  /** Called for each line that the contender has to tell. */
  onTold(listener: (text: string) => void): void;
  /** Lets it close what it has open. */
  close(): Promise<void>;
}

/** The place may hold a password: it is handed over by a message, not by arguments. */
export function startWorker(module: string, place: Place): Worker {
  const child = fork(MAIN, [module], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const gone = once(child, 'exit').then(() => {});
  const errors = lastLines(child);
  const listeners: ((text: string) => void)[] = [];
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', (reply: Reply) => {
    if ('told' in reply) for (const listener of listeners) listener(reply.told);
    else if ('error' in reply) pending.get(reply.id)?.reject(new Error(reply.error));
    else pending.get(reply.id)?.resolve(reply.value);
  });
  void gone.then(() => {
    for (const { reject } of pending.values()) reject(new Error(`The process ended. ${errors()}`));
  });
  let calls = 0;
  const send = (name: Call['name'], args: readonly unknown[]): Promise<unknown> => {
    const id = calls++;
    const answer = Promise.withResolvers<unknown>();
    pending.set(id, answer);
    child.send({ id, name, args } satisfies Call, (error) => {
      if (error) answer.reject(new Error(`The process is gone. ${errors()}`));
    });
    const timer = setTimeout(
      () => answer.reject(new Error(`No answer within ${LIMIT_MS / 1000} s.`)),
      LIMIT_MS,
    );
    return answer.promise.finally(() => {
      clearTimeout(timer);
      pending.delete(id);
    });
  };
  const opened = send('open', [place]);
  opened.catch(() => {}); // The first call says it.
  return {
    async call(name, ...args) {
      await opened;
      return (await send(name, args)) as never;
    },
    onTold: (listener) => void listeners.push(listener),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      await Promise.race([send('close', []), sleep(10_000)]).catch(() => {});
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** What it said last on its standard error. */
function lastLines(child: ChildProcess): () => string {
  let text = '';
  child.stderr!.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-2000);
  });
  return () => text.trim().split('\n').slice(-8).join(' ').trim();
}
