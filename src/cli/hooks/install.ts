/** `hooks install`: our plugin in the agents on this machine. */
import { ConfigError } from '../../errors.ts';
import { EXIT } from '../../verbs/kit/exit.ts';
import { verb } from '../../verbs/kit/verb.ts';
import { CLIENT_ARGUMENT, CLIENT_STATE, forClients, HERE, stateLines } from './setups.ts';

export const hooksInstall = verb({
  name: 'hooks install',
  group: 'care',
  arguments: CLIENT_ARGUMENT,
  options: {
    ...HERE,
    strict: { about: 'hooks.option.strict' },
    trust: { about: 'hooks.option.trust' },
  },
  examples: ['hooks install', 'hooks install claude', 'hooks install codex --trust'],
  data: { clients: [CLIENT_STATE] },
  async run(call) {
    const { say, args, options, project_dir } = call;
    const { strict, trust } = options;
    const scope = options.here ? { project: project_dir } : {};
    const clients = await forClients(args.client, async (setup) => {
      // A named client that is missing is an error; the others are those that are there.
      if (args.client === undefined && !(await setup.status(scope)).found) return await setup.status(scope);
      return await setup.install({ ...scope, strict, trust });
    });
    if (!clients.some(({ found }) => found))
      throw new ConfigError('MISSING_DEPENDENCY', say('hooks.none'), { hint: say('hooks.none_hint') });
    return {
      data: { clients },
      lines: [
        ...stateLines(
          clients.filter(({ found }) => found),
          call,
        ),
        say('hooks.new_sessions'),
      ],
      ...(clients.some(({ found, active }) => found && !active) ? { exit: EXIT.found } : {}),
    };
  },
});
