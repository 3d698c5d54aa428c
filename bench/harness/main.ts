/** The process of a bench: it leaves nothing behind, however it ends. */
import { openScratch, type Scratch } from './scratch.ts';

/** `run` answers the exit status. */
export async function exitAfter(run: (scratch: Scratch) => Promise<number>): Promise<void> {
  const scratch = openScratch();
  process.once('exit', scratch.remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const status = await run(scratch);
  // What a figure that failed left open does not keep the process.
  process.stdout.write('', () => process.exit(status));
}
