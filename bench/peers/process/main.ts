/** The process of one contender: opens it, then does what the messages ask for, one at a time. */
import { writeSync } from 'node:fs';
import type { Call, Contending, OpenContender, Place, Reply } from './protocol.ts';

const { default: open } = (await import(process.argv[2]!)) as { default: OpenContender };
let contender: Contending | undefined;

process.on('message', async (call: Call) => {
  try {
    reply({ id: call.id, value: await answer(call) });
  } catch (error) {
    const { message, stack = '' } = error as Error;
    writeSync(2, `${stack}\n`);
    reply({ id: call.id, error: message });
  }
});

async function answer({ name, args }: Call): Promise<unknown> {
  if (name === 'open') {
    contender = await open(args[0] as Place, (told) => reply({ told }));
    return null;
  }
  if (name === 'close') return contender?.close();
  const action = contender?.[name] as ((...given: readonly unknown[]) => Promise<unknown>) | undefined;
  if (!action) throw new Error(`It has no "${name}".`);
  return action(...args);
}

// Nobody is left to work for.
process.on('disconnect', () => process.exit());

function reply(message: Reply): void {
  process.send!(message);
}
