/** `keys rotate`: changes the key of the store. */
import type { EncryptionConfig } from '../../config/types.ts';
import { InvalidInputError, StoreError } from '../../errors.ts';
import type { Claim } from '../../storage/contract.ts';
import type { KeyProvider } from '../../storage/encrypted/key-provider.ts';
import { tracked } from '../../system/progress.ts';
import { verb } from '../../verbs/kit/verb.ts';
import { KEY_OPTIONS, KEY_PLACES } from './settings.ts';

export const keysRotate = verb({
  name: 'keys rotate',
  group: 'care',
  options: { to: { value: 'place', choices: KEY_PLACES, about: 'keys.option.to' }, ...KEY_OPTIONS },
  examples: ['keys rotate', 'keys rotate --to environment'],
  data: { source: 'string', key_file: 'string|null' },
  async run(call) {
    const { say, options, project_dir } = call;
    const [
      { loadConfig },
      factory,
      { openEncryptedStorage },
      { lockOf, unlock },
      providers,
      { takeMoversTurn },
      mark,
      keys,
    ] = await Promise.all([
      import('../../config/load.ts'),
      import('../../storage/opening/factory.ts'),
      import('../../storage/encrypted/open.ts'),
      import('../../storage/encrypted/lock-of.ts'),
      import('../../storage/encrypted/providers.ts'),
      import('../../engine/moving/move.ts'),
      import('../../storage/moving/mark.ts'),
      import('./settings.ts'),
    ]);
    const { config } = loadConfig({ project_dir });
    if (!config.encryption.enabled)
      throw new InvalidInputError('USAGE', say('keys.rotate.off'), {
        data: {},
        hint: say('keys.rotate.off_hint', { command: call.invoke('keys init') }),
      });
    const wanted = { place: options.to, file: options['key-file'], command: options['key-command'] };
    const old = await factory.keyProvider(config.encryption, { project_dir });
    const store = await factory.openUnsealed(config, { project_dir });
    let turn: Claim | undefined;
    try {
      turn = await takeMoversTurn(store); // A move of the store writes the same settings.
      const moving = await mark.readMark(store);
      if (moving) throw mark.refusal(moving);
      const next = (await cutOff()) ?? keys.keySettings(call, { ...wanted, replaces: true });
      keys.refuseSettings(call, next, config);
      const provider = await newKey(next);
      if (!(await isLockedWith(provider))) {
        const opened = await openEncryptedStorage(store, old); // If the old key is lost, no new one is created.
        await keys.makeKeyFile(next);
        await tracked(call.onProgress, ({ at }) => {
          at('rotate');
          return opened.rotate(provider);
        });
      }
      keys.noteKey(call, next, config);
      const { source } = await factory.keyProvider(next, { project_dir });
      const variable = VARIABLES[next.key_from];
      const lines = [say('keys.rotate.done', { source: call.translate(source) }), say('keys.rotate.copies')];
      if (variable) lines.push(say('keys.rotate.variable', variable));
      return { data: { source, key_file: next.key_file }, lines };
    } finally {
      await turn?.release();
      await store.close();
    }

    /** The old key is where it is; the new one has separate variables until it replaces it. */
    async function newKey(settings: EncryptionConfig): Promise<KeyProvider> {
      const { from } = VARIABLES[settings.key_from] ?? {};
      const { keyFromEnvironment, keyFromPassphrase } = providers;
      if (!from) return factory.keyProvider(settings, { project_dir });
      if (settings.key_from === 'environment') return keyFromEnvironment(process.env, from);
      return keyFromPassphrase(process.env[from], from);
    }

    /** An interrupted rotation: the store already uses the new key, and the settings do not name it yet. */
    async function cutOff(): Promise<EncryptionConfig | null> {
      const { place = 'file', file, command } = wanted;
      if (place !== 'file' || file !== undefined || command !== undefined) return null;
      if (await isLockedWith(old)) return null;
      for (const file of keys.madeFiles(project_dir)) {
        const settings = keys.keySettings(call, { place: 'file', file, command: undefined });
        if (await isLockedWith(await newKey(settings))) return settings;
      }
      return null;
    }

    async function isLockedWith(key: KeyProvider): Promise<boolean> {
      try {
        const locked = await lockOf(store);
        return locked !== null && (await unlock(locked, key)) !== null;
      } catch (error) {
        if (error instanceof StoreError && ['WRONG_KEY', 'NO_KEY'].includes(error.code)) return false;
        throw error;
      }
    }
  },
});

/** The variables of the new key until it replaces the old one. */
const VARIABLES: Readonly<Partial<Record<EncryptionConfig['key_from'], { from: string; to: string }>>> = {
  environment: { from: 'VIBE_ENGINE_NEW_KEY', to: 'VIBE_ENGINE_KEY' },
  passphrase: { from: 'VIBE_ENGINE_NEW_PASSPHRASE', to: 'VIBE_ENGINE_PASSPHRASE' },
};
