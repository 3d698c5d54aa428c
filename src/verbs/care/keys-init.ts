/** `keys init`: creates a key, and turns encryption on. */
import { verb } from '../kit/verb.ts';
import { FROM, KEY_OPTIONS } from './keys-options.ts';

export const keysInit = verb({
  name: 'keys init',
  group: 'care',
  options: { from: FROM, ...KEY_OPTIONS },
  examples: ['keys init', 'keys init --from environment', 'keys init --key-command "pass show vibe-engine"'],
  data: { source: 'string', key_file: 'string|null' },
  async run(call) {
    const { say, options } = call;
    const [{ initEncryption }, { keyProject, keySettings }] = await Promise.all([
      import('../../engine/keys/keys.ts'),
      import('./keys-project.ts'),
    ]);
    const given = { place: options.from, file: options['key-file'], command: options['key-command'] };
    const data = await initEncryption(keyProject(call), keySettings(call, given));
    return {
      data,
      lines: [say('keys.init.done', { source: call.translate(data.source) }), say('keys.init.keep')],
    };
  },
});
