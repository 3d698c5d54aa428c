/** `keys decrypt`: moves an encrypted store to an unencrypted one next to it. */
import { InvalidInputError } from '../../errors.ts';
import { amountsOf } from '../../verbs/kit/amounts.ts';
import { verb } from '../../verbs/kit/verb.ts';
import { inSettings, MOVED, NOTHING_MOVED, WRITTEN } from './moved.ts';

export const keysDecrypt = verb({
  name: 'keys decrypt',
  group: 'care',
  examples: ['keys decrypt'],
  data: MOVED,
  async run(call) {
    const { say, project_dir } = call;
    const [{ loadConfig }, factory, { isThere }, { lockOf, unlock }, moving, keys] = await Promise.all([
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
    const notOn = () =>
      new InvalidInputError('USAGE', say('keys.decrypt.off'), {
        data: {},
        hint: say('keys.init.on_hint', { command: call.invoke('keys status') }),
      });
    if (!isThere(config, project_dir)) throw notOn();
    const store = await factory.openUnsealed(config, { project_dir });
    try {
      await moving.refuseMoved(store);
      const finished = await moving.finishLeaving(store, project);
      if (!config.encryption.enabled) {
        if (await lockOf(store)) throw factory.isEncryptedStore(store);
        // Repeated after an interruption at its very end, there is nothing to do: that looks the same as a store that was
        // never encrypted.
        const line =
          finished?.direction === 'decrypt'
            ? say('keys.move.finished', { from: finished.from.value })
            : say('keys.decrypt.already');
        return { data: NOTHING_MOVED, lines: [line] };
      }
      keys.refuseOverridden(call, WRITTEN);
      const key = await factory.keyProvider(config.encryption, { project_dir });
      const locked = await lockOf(store);
      if (!locked) throw notOn();
      await unlock(locked, key); // Before anything is changed.
      const encryption = { ...config.encryption, enabled: false };
      const switching = await inSettings(call, config, encryption);
      const moved = await moving.moveBeside(store, { ...project, direction: 'decrypt', key, ...switching });
      const { from, ...counts } = moved;
      return {
        data: counts,
        lines: [
          say('keys.decrypt.done', { to: moved.to, tasks: moved.tasks }),
          say('keys.move.emptied', { from, freed: amountsOf(call).bytes(moved.freed) }),
        ],
      };
    } finally {
      await store.close();
    }
  },
});
