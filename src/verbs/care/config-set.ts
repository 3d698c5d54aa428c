/** `config set`: changes one setting in the project's file, or in the user's. */
import { InvalidInputError } from '../../errors.ts';
import { verb } from '../kit/verb.ts';
import { plain } from '../shared/plain.ts';

export const configSet = verb({
  name: 'config set',
  group: 'care',
  arguments: {
    key: { about: 'config.argument.key', of: 'setting' },
    value: { about: 'config.argument.value', optional: true },
  },
  options: {
    user: { about: 'config.set.option.user' },
    reset: { about: 'config.set.option.reset' },
  },
  examples: [
    'config set persistence.storage_type sqlite',
    'config set cleanup.daily_at null --user',
    'config set recovery.on_modified --reset',
  ],
  data: { file: 'string', key: 'string', value: 'any', holds: 'any', source: 'string' },
  async run(call) {
    const { say } = call;
    const { value } = call.args;
    const { user, reset } = call.options;
    if (reset === (value !== undefined)) {
      throw new InvalidInputError('USAGE', say('config.set.one_of'), {
        data: { key: call.args.key },
        hint: say('config.set.one_of_hint'),
      });
    }
    const [{ configFiles }, { writeNamed }, { loadConfig }] = await Promise.all([
      import('../settings/known.ts'),
      import('../settings/write.ts'),
      import('../../config/load.ts'),
    ]);
    const { project_dir } = call;
    const source = user ? 'user' : 'project';
    const file = configFiles(project_dir)[source];
    const { config } = loadConfig({ project_dir });
    const written = writeNamed({ file, source, key: call.args.key, text: value ?? null }, config, say);
    if (written.key === null) {
      const holds = written.value;
      return {
        data: { file, key: call.args.key, value: holds, holds, source: 'default' },
        lines: [say('config.set.always', { key: call.args.key, value: String(holds) })],
      };
    }
    const { key } = written;
    const now = loadConfig({ project_dir }).explain[key];
    const holds = now?.value ?? null;
    const elsewhere = now !== undefined && !reset && now.from !== file;
    return {
      data: { file, key, value: plain(written.value), holds: plain(holds), source: now?.source ?? 'default' },
      lines: [
        say(reset ? 'config.set.reset' : 'config.set.done', {
          key,
          file,
          value: JSON.stringify(written.value) ?? '',
        }),
        ...(elsewhere
          ? [say('config.set.overruled', { value: JSON.stringify(holds), from: now.from ?? now.source })]
          : []),
      ],
    };
  },
});
