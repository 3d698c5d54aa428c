/** `config explain`: every setting, its value, where that came from, and what it is for. */
import { verb } from '../kit/verb.ts';
import { readSettings, refuseKey, SETTING, settingLines, shown } from '../settings/shown.ts';

export const configExplain = verb({
  name: 'config explain',
  group: 'care',
  arguments: { key: { about: 'config.argument.section', of: 'setting', optional: true } },
  examples: ['config explain', 'config explain cleanup', 'config explain recovery.on_modified'],
  data: { settings: [SETTING] },
  async run(call) {
    const { key } = call.args;
    const { settings } = await readSettings(call);
    const found = settings.filter(
      (one) => key === undefined || one.key === key || one.key.startsWith(`${key}.`),
    );
    if (found.length === 0) return refuseKey(key!, call.say);
    const lines = found.flatMap((one) => [
      ...settingLines([one], call),
      `    ${call.say('config.meaning', { description: one.description, default: shown(one.default) })}`,
    ]);
    return { data: { settings: found }, lines };
  },
});
