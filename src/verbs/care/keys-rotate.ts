/** `keys rotate`: changes the key of the store. */
import { verb } from '../kit/verb.ts';
import { KEY_OPTIONS, KEY_PLACES } from './keys-options.ts';

export const keysRotate = verb({
  name: 'keys rotate',
  group: 'care',
  options: { to: { value: 'place', choices: KEY_PLACES, about: 'keys.option.to' }, ...KEY_OPTIONS },
  examples: ['keys rotate', 'keys rotate --to environment'],
  data: { source: 'string', key_file: 'string|null' },
  async run(call) {
    const { say, options } = call;
    const [{ rotateKey }, { keyProject, keySettings }] = await Promise.all([
      import('../../engine/keys/keys.ts'),
      import('./keys-project.ts'),
    ]);
    const given = { place: options.to, file: options['key-file'], command: options['key-command'] };
    const isDefault = (given.place ?? 'file') === 'file' && !given.file && !given.command;
    const wanted = isDefault ? null : keySettings(call, given);
    const { variable, ...data } = await rotateKey(keyProject(call), wanted);
    const { source } = data;
    const lines = [say('keys.rotate.done', { source: call.translate(source) }), say('keys.rotate.copies')];
    if (variable) lines.push(say('keys.rotate.variable', variable));
    return { data, lines };
  },
});
