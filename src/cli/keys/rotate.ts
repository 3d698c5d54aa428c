/** `keys rotate`: the store locked with another key. */
import { InvalidInputError, StoreError } from '../../errors.ts';
import type { KeyProvider } from '../../storage/encrypted/key-provider.ts';
import { verb } from '../../verbs/kit/verb.ts';
import { KEY_OPTIONS, KEY_PLACES } from './settings.ts';

export const keysRotate = verb({
  name: 'keys rotate',
  group: 'care',
  summary: 'keys.rotate.summary',
  options: { to: { value: 'place', choices: KEY_PLACES, about: 'keys.option.to' }, ...KEY_OPTIONS },
  examples: ['keys rotate', 'keys rotate --to environment'],
  data: { source: 'string', key_file: 'string|null' },
  async run(call) {
    const { say, options, project_dir } = call;
    const [{ loadConfig }, factory, { openEncryptedStorage }, keys] = await Promise.all([
      import('../../config/load.ts'),
      import('../../storage/factory.ts'),
      import('../../storage/encrypted/open.ts'),
      import('./settings.ts'),
    ]);
    const { config } = loadConfig({ project_dir });
    if (!config.encryption.enabled)
      throw new InvalidInputError('USAGE', say('keys.rotate.off'), {
        data: {},
        hint: say('keys.rotate.off_hint', { command: call.invoke('keys init') }),
      });
    const wanted = { place: options.to, file: options['key-file'], command: options['key-command'] };
    const next = keys.keySettings(call, { ...wanted, anew: true });
    keys.makeKeyFile(next);
    const provider = await factory.keyProvider(next, { project_dir, env: withNewKeys(process.env) });
    const store = await factory.openUnsealed(config, { project_dir });
    try {
      const old = await factory.keyProvider(config.encryption, { project_dir });
      if (await isLockedWith(provider)) return done(); // It was cut off after this.
      await (await openEncryptedStorage(store, old)).rotate(provider);
      return done();
    } finally {
      await store.close();
    }

    async function isLockedWith(key: KeyProvider): Promise<boolean> {
      try {
        return (await openEncryptedStorage(store, key)) !== null;
      } catch (error) {
        if (error instanceof StoreError && error.code === 'WRONG_KEY') return false;
        throw error;
      }
    }

    function done() {
      keys.noteKey(call, next, config);
      const { source } = provider;
      return { data: { source, key_file: next.key_file }, lines: [say('keys.rotate.done', { source })] };
    }
  },
});

/** The old key is where it is; the new one has variables of its own until it takes its place. */
function withNewKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { VIBE_ENGINE_NEW_KEY: key, VIBE_ENGINE_NEW_PASSPHRASE: passphrase } = env;
  return { ...env, VIBE_ENGINE_KEY: key, VIBE_ENGINE_PASSPHRASE: passphrase };
}
