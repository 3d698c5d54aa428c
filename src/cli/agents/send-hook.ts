/** `agent-host <client> --hook`: hands an event to the session's host, for hooks that are programs where there is no perl. */
import { setTimeout as sleep } from 'node:timers/promises';
import { answerLimit } from '../../agents/patience.ts';
import { askAt } from '../../system/process/local-service.ts';

/** As `plugins/hook.sh` knows them. */
const NOBODY_THERE = 7;
const FAILED = 22;
const TOO_LATE = 28;

const TRIES = 80;
const BETWEEN_MS = 100;

/** What the script says, in seconds. */
export function hookLimit(args: readonly string[]): number {
  const said = args.find((arg) => arg.startsWith(LIMIT))?.slice(LIMIT.length);
  return said === undefined ? answerLimit(false) : Number(said) * 1_000;
}

const LIMIT = '--limit=';

/** The exit code; the answer is printed. A host that has died is being started again. */
export async function sendHook(
  { socket, limit_ms }: { readonly socket: string; readonly limit_ms: number },
  input: string,
  print: (text: string) => void,
): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      print(`${JSON.stringify(await askAt(socket, JSON.parse(input), limit_ms))}\n`);
      return 0;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ETIMEDOUT') return TOO_LATE;
      if (code !== 'ECONNREFUSED' && code !== 'ENOENT') return FAILED;
    }
    await sleep(BETWEEN_MS);
  }
  return NOBODY_THERE;
}
