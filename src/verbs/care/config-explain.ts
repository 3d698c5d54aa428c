/** `config explain`: every setting, its value, where that came from, and what it is for. */
import { verb } from '../kit/verb.ts';
import { readNamed, readSettings, SETTING, settingLines, shown } from '../settings/shown.ts';

export const configExplain = verb({
  name: 'config explain',
  group: 'care',
  arguments: { key: { about: 'config.argument.section', of: 'setting', optional: true } },
  examples: ['config explain', 'config explain cleanup', 'config explain recovery.on_modified'],
  data: { settings: [SETTING] },
  async run(call) {
    const { key } = call.args;
    const found = key === undefined ? (await readSettings(call)).settings : await readNamed(key, call);
    const lines = found.flatMap((one) => [
      ...settingLines([one], call),
      `    ${call.say('config.meaning', { description: one.description, default: shown(one.default) })}`,
    ]);
    return { data: { settings: found }, lines };
  },
});
