/** `keys encrypt`: moves an unencrypted store to an encrypted one next to it. */
import { amountsOf } from '../kit/amounts.ts';
import { verb } from '../kit/verb.ts';
import { FROM, KEY_OPTIONS, MOVED, NOTHING_MOVED } from './keys-options.ts';

export const keysEncrypt = verb({
  name: 'keys encrypt',
  group: 'care',
  options: { from: FROM, ...KEY_OPTIONS },
  examples: ['keys encrypt', 'keys encrypt --from passphrase'],
  data: { source: 'string', key_file: 'string|null', ...MOVED },
  async run(call) {
    const { say, options } = call;
    const [{ encryptStore }, { keyProject, keySettings }] = await Promise.all([
      import('../../engine/keys/keys.ts'),
      import('./keys-project.ts'),
    ]);
    const given = { place: options.from, file: options['key-file'], command: options['key-command'] };
    const done = await encryptStore(keyProject(call), keySettings(call, given));
    const { moved, finished, ...key } = done;
    if (!moved)
      return {
        data: { ...key, ...NOTHING_MOVED },
        lines: [say('keys.move.finished', { from: finished! })],
      };
    const { from, ...counts } = moved;
    const { to, tasks, freed } = counts;
    return {
      data: { ...key, ...counts },
      lines: [
        say('keys.encrypt.done', { source: call.translate(key.source), to, tasks }),
        say('keys.move.emptied', { from, freed: amountsOf(call).bytes(freed) }),
        say('keys.init.keep'),
        call.paint.dim(say('keys.encrypt.disk')),
      ],
    };
  },
});
