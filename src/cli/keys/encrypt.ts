/** `keys encrypt`: moves an unencrypted store to an encrypted one next to it. */
import { InvalidInputError } from '../../errors.ts';
import { amountsOf } from '../../verbs/kit/amounts.ts';
import { verb } from '../../verbs/kit/verb.ts';
import { inSettings, MOVED, NOTHING_MOVED, WRITTEN } from './moved.ts';
import { KEY_OPTIONS, KEY_PLACES } from './settings.ts';

export const keysEncrypt = verb({
  name: 'keys encrypt',
  group: 'care',
  options: { from: { value: 'place', choices: KEY_PLACES, about: 'keys.option.from' }, ...KEY_OPTIONS },
  examples: ['keys encrypt', 'keys encrypt --from passphrase'],
  data: { source: 'string', key_file: 'string|null', ...MOVED },
  async run(call) {
    const { say, options, project_dir } = call;
    const [{ loadConfig }, factory, { isThere }, { lockOf }, moving, keys] = await Promise.all([
      import('../../config/load.ts'),
      import('../../storage/opening/factory.ts'),
      import('../../storage/opening/store-there.ts'),
      import('../../storage/encrypted/lock-of.ts'),
      import('../../engine/moving/beside.ts'),
      import('./settings.ts'),
    ]);
    const { config } = loadConfig({ project_dir });
    const project = { config, project_dir, onProgress: call.onProgress };
    moving.placeOf(project); // Refuses what cannot be moved.
    const { enabled } = config.encryption;
    if (!isThere(config, project_dir))
      throw new InvalidInputError('USAGE', say(enabled ? 'keys.status.none' : 'keys.status.none_off'), {
        data: {},
        hint: say('keys.rotate.off_hint', { command: call.invoke('keys init') }),
      });
    const store = await factory.openUnsealed(config, { project_dir });
    try {
      await moving.refuseMoved(store);
      const finished = await moving.finishLeaving(store, project);
      if (enabled) {
        if (finished?.direction !== 'encrypt')
          throw new InvalidInputError('USAGE', say('keys.init.on'), {
            data: {},
            hint: say('keys.init.on_hint', { command: call.invoke('keys status') }),
          });
        const { source } = await factory.keyProvider(config.encryption, { project_dir });
        return {
          data: { source, key_file: config.encryption.key_file, ...NOTHING_MOVED },
          lines: [say('keys.move.finished', { from: finished.from.value })],
        };
      }
      if (await lockOf(store)) throw factory.isEncryptedStore(store);
      keys.refuseOverridden(call, WRITTEN);
      const wanted = { place: options.from, file: options['key-file'], command: options['key-command'] };
      const encryption = keys.keySettings(call, wanted);
      keys.refuseSettings(call, encryption, config);
      await keys.makeKeyFile(encryption);
      const key = await factory.keyProvider(encryption, { project_dir });
      await key.key({ store: '', salt: new Uint8Array(16) }); // Whether there is one.
      const switching = await inSettings(call, config, encryption);
      const moved = await moving.moveBeside(store, { ...project, direction: 'encrypt', key, ...switching });
      const { from: _, ...counts } = moved;
      const { source } = key;
      return {
        data: { source, key_file: encryption.key_file, ...counts },
        lines: [
          say('keys.encrypt.done', { source: call.translate(source), to: moved.to, tasks: moved.tasks }),
          say('keys.move.emptied', { from: moved.from, freed: amountsOf(call).bytes(moved.freed) }),
          say('keys.init.keep'),
          call.paint.dim(say('keys.encrypt.disk')),
        ],
      };
    } finally {
      await store.close();
    }
  },
});
