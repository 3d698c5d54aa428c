/** `keys init`: creates a key, and turns encryption on. */
import { InvalidInputError } from '../../errors.ts';
import { verb } from '../../verbs/kit/verb.ts';
import { KEY_OPTIONS, KEY_PLACES } from './settings.ts';

export const keysInit = verb({
  name: 'keys init',
  group: 'care',
  options: { from: { value: 'place', choices: KEY_PLACES, about: 'keys.option.from' }, ...KEY_OPTIONS },
  examples: ['keys init', 'keys init --from environment', 'keys init --key-command "pass show vibe-engine"'],
  data: { source: 'string', key_file: 'string|null' },
  async run(call) {
    const { say, options, project_dir } = call;
    const [{ loadConfig }, factory, { isThere }, { refuseFilled }, keys] = await Promise.all([
      import('../../config/load.ts'),
      import('../../storage/opening/factory.ts'),
      import('../../storage/opening/store-there.ts'),
      import('../../storage/encrypted/open.ts'),
      import('./settings.ts'),
    ]);
    const { config } = loadConfig({ project_dir });
    if (config.encryption.enabled)
      throw new InvalidInputError('USAGE', say('keys.init.on'), {
        data: {},
        hint: say('keys.init.on_hint', { command: call.invoke('keys status') }),
      });
    const wanted = { place: options.from, file: options['key-file'], command: options['key-command'] };
    const encryption = keys.keySettings(call, wanted);
    keys.refuseSettings(call, encryption, config);
    if (isThere(config, project_dir)) {
      const store = await factory.openUnsealed(config, { project_dir });
      await refuseFilled(store).finally(() => store.close()); // No key is created in vain.
    }
    await keys.makeKeyFile(encryption);
    // The store is created, or refused, before the settings name it.
    await (await factory.createStorageFromConfig({ ...config, encryption }, { project_dir })).close();
    keys.noteKey(call, encryption, config);
    const { source } = await factory.keyProvider(encryption, { project_dir });
    return {
      data: { source, key_file: encryption.key_file },
      lines: [say('keys.init.done', { source: call.translate(source) }), say('keys.init.keep')],
    };
  },
});
