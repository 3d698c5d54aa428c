/** `config`: which settings differ from their defaults, and where each was set. */
import { verb } from '../kit/verb.ts';
import { readSettings, SETTING, settingLines } from '../settings/shown.ts';

export const config = verb({
  name: 'config',
  group: 'care',
  examples: ['config', 'config --json'],
  data: { files: { user: 'string', project: 'string' }, settings: [SETTING] },
  async run(call) {
    const { say } = call;
    const { files, settings } = await readSettings(call);
    const changed = settings.filter(({ source, waiting }) => source !== 'default' || waiting !== null);
    return {
      data: { files, settings: changed },
      lines: [
        ...(changed.length === 0 ? [say('config.all_default')] : settingLines(changed, call)),
        say('config.files', files),
      ],
    };
  },
});
