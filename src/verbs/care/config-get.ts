/** `config get`: the value of one setting. */
import { verb } from '../kit/verb.ts';
import { readSettings, refuseKey, SETTING, shown } from '../settings/shown.ts';

export const configGet = verb({
  name: 'config get',
  group: 'care',
  arguments: { key: { about: 'config.argument.key', of: 'setting' } },
  examples: ['config get persistence.storage_type'],
  data: SETTING,
  async run(call) {
    const { settings } = await readSettings(call);
    const found = settings.find(({ key }) => key === call.args.key);
    return found ? { data: found, lines: [shown(found.value)] } : refuseKey(call.args.key, call.say);
  },
});
