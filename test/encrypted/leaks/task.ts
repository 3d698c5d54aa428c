/** A task of many steps with a secret in everything it says, does, writes and is told. */
import { defineTask, type TaskDefinition } from '../../../src/engine/api/definition.ts';

export interface LeakyInput {
  readonly secret: string;
  /** In names and notes of progress, which people are told: a secret to the store alone. */
  readonly name: string;
  readonly steps: number;
}

const LARGE = 20_000;

/** `reached` is called within each step that runs, with its number; the step waits for it. */
export function leaky(reached: (step: number) => Promise<void> | void): TaskDefinition<LeakyInput, string> {
  return defineTask(
    'leaky',
    async (task, { secret, name, steps }: LeakyInput) => {
      await task.message('user', `My token is ${secret}.`);
      for (let n = 1; n <= steps; n++) {
        await task.step(`use ${name}`, async () => {
          await reached(n);
          return {
            n,
            found: secret,
            bytes: Buffer.from(secret),
            padding: n % 20 === 0 ? secret.repeat(600) : '',
          };
        });
        await task.message(n % 2 ? 'assistant' : 'user', { text: `"${secret}"\n\\${secret}\\`, n });
        if (n % 5 === 0) await task.set(`kept ${name}`, new Map([[secret, n]]));
        if (n % 10 === 0) await task.decide({ what: `Use ${secret}`, why: secret, alternatives: [secret] });
        // The task and its fork work on the same files: who comes second is told so.
        if (n % 25 === 0)
          await task.files.write(`notes-${n % 4}.txt`, `${n} ${secret}\n`).catch(unlessConflict);
        if (n % 25 === 5)
          await task.tool({
            tool: 'read',
            input: { secret },
            output: secret.padEnd(LARGE),
            status: 'success',
          });
        if (n % 40 === 15)
          await task
            .step('fail', () => {
              throw new Error(`refused ${secret}`, { cause: { secret } });
            })
            .catch(() => {});
        if (n % 50 === 20) {
          const command = `echo ${secret} > other.txt; cat notes-*.txt; echo ${secret} >&2; env`;
          const { stdout } = await task.shell(command);
          if (stdout.includes(process.env.VIBE_ENGINE_KEY!)) throw new Error('The command has seen the key.');
        }
        if (n % 50 === 30) await task.agent(`helper-${n}`, (agent) => agent.message('assistant', secret));
        await task.progress((n / steps) * 100, `with ${name}`);
      }
      const answer = await task.waitFor<string>('user_input', { prompt: `Is ${secret} right?` });
      return `done with ${secret}: ${answer}`;
    },
    { version: '1' },
  );
}

function unlessConflict(error: unknown): void {
  if ((error as { code?: unknown }).code !== 'FILE_CONFLICT') throw error;
}
