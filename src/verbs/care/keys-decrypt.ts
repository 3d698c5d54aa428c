/** `keys decrypt`: moves an encrypted store to an unencrypted one next to it. */
import { amountsOf } from '../kit/amounts.ts';
import { verb } from '../kit/verb.ts';
import { MOVED, NOTHING_MOVED } from './keys-options.ts';

export const keysDecrypt = verb({
  name: 'keys decrypt',
  group: 'care',
  examples: ['keys decrypt'],
  data: MOVED,
  async run(call) {
    const { say } = call;
    const [{ decryptStore }, { keyProject }] = await Promise.all([
      import('../../engine/keys/keys.ts'),
      import('./keys-project.ts'),
    ]);
    const { moved, finished } = await decryptStore(keyProject(call));
    if (!moved) {
      const line =
        finished === null ? say('keys.decrypt.already') : say('keys.move.finished', { from: finished });
      return { data: NOTHING_MOVED, lines: [line] };
    }
    const { from, ...data } = moved;
    return {
      data,
      lines: [
        say('keys.decrypt.done', { to: data.to, tasks: data.tasks }),
        say('keys.move.emptied', { from, freed: amountsOf(call).bytes(data.freed) }),
      ],
    };
  },
});
