/** `config get`: the value of one setting. */
import { verb } from '../kit/verb.ts';
import { readOne, SETTING, shown } from '../settings/shown.ts';

export const configGet = verb({
  name: 'config get',
  group: 'care',
  arguments: { key: { about: 'config.argument.key', of: 'setting' } },
  examples: ['config get persistence.storage_type'],
  data: SETTING,
  async run(call) {
    const found = await readOne(call.args.key, call);
    return { data: found, lines: [shown(found.value)] };
  },
});
