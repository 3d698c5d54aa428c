/** `trust`: shows a project's settings that could do harm, and lets them take effect once the user agrees. */
import { ConfigError } from '../../errors.ts';
import { EXIT } from '../kit/exit.ts';
import { verb } from '../kit/verb.ts';
import { YES } from '../shared/options.ts';
import { plain } from '../shared/plain.ts';

export const trust = verb({
  name: 'trust',
  group: 'care',
  options: { ...YES, remove: { about: 'trust.option.remove' } },
  examples: ['trust', 'trust --json', 'trust --remove'],
  data: {
    done: 'boolean',
    file: 'string',
    /** What waited, or was trusted now. */
    settings: [{ key: 'string', value: 'any', risk: 'string' }],
  },
  async run(call) {
    const { say, options, project_dir } = call;
    const [{ loadConfig }, { linkedOut }, trusting, { configFiles }, { visible }] = await Promise.all([
      import('../../config/load.ts'),
      import('../../config/linked-out.ts'),
      import('../../config/trust.ts'),
      import('../settings/known.ts'),
      import('../format/width.ts'),
    ]);
    const { project: file } = configFiles(project_dir);
    if (options.remove) {
      trusting.forgetTrust(project_dir, process.env);
      return { data: { done: true, file, settings: [] }, lines: [say('trust.forgotten')] };
    }
    // The target of a link is not read before the link itself is trusted.
    const link = linkedOut(project_dir, process.env);
    const waiting = link ? [link] : loadConfig({ project_dir }).waiting;
    const settings = waiting.map(({ key, value, risk }) => ({
      key,
      value: plain(trusting.shownValue(key, value)),
      risk,
    }));
    const data = { done: false, file, settings };
    if (waiting.length === 0) return { data, lines: [say('trust.nothing')] };
    if (!options.yes && call.json) return { data, lines: [], exit: EXIT.declined };
    call.tell(say('trust.from', { file: visible(file) }));
    for (const { key, value, risk } of settings)
      call.tell(`  ${visible(key)}: ${visible(JSON.stringify(value))} (${say(`trust.${risk}`)})`);
    const count = waiting.length;
    if (!options.yes && !(await call.ask.confirm(say('trust.ask', { count }), '--yes')))
      return { data, lines: [say('ask.declined')], exit: EXIT.declined };
    if (!trusting.trustSettings(project_dir, waiting, process.env))
      throw new ConfigError('CONFIG_INVALID', say('trust.no_place'), {
        data: { file },
        hint: say('trust.no_place_hint'),
      });
    return { data: { ...data, done: true }, lines: [say('trust.done', { count })] };
  },
});
