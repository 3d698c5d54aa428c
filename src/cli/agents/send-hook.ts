/** `agent-host <client> --hook`: hands an event to the session's host, for hooks that are programs where there is no curl. */
import { askAt } from '../../system/process/local-service.ts';

const LIMIT_MS = 25_000;

/** The exit code; the answer is printed. */
export async function sendHook(
  socket: string,
  input: string,
  print: (text: string) => void,
): Promise<number> {
  try {
    print(`${JSON.stringify(await askAt(socket, JSON.parse(input), LIMIT_MS))}\n`);
    return 0;
  } catch {
    return 1; // The script that called it knows what that means.
  }
}
