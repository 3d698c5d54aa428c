/** `hooks install`: our plugin in the agents on this machine. */
import type { ClientName } from '../../agents/client.ts';
import { ConfigError, VibeError } from '../../errors.ts';
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
    const wereStrict = new Set<ClientName>();
    const clients = await forClients(args.client, async (setup, client) => {
      const state = await setup.status(scope);
      if (state.strict) wereStrict.add(client);
      if (args.client !== undefined) return await setup.install({ ...scope, strict, trust });
      if (!state.found) return state;
      return await setup.install({ ...scope, strict, trust }).catch((error: unknown) => {
        // One that refuses does not keep the others from being recorded.
        if (!(error instanceof VibeError)) throw error;
        return { ...state, active: false, missing: [error.message] };
      });
    });
    if (!clients.some(({ found }) => found))
      throw new ConfigError('MISSING_DEPENDENCY', say('hooks.none'), { hint: say('hooks.none_hint') });
    return {
      data: { clients },
      lines: [
        ...stateLines(
          clients.filter(({ found }) => found),
          call,
          wereStrict,
        ),
        ...(clients.some(({ installed }) => installed) ? [say('hooks.new_sessions')] : []),
      ],
      ...(clients.some(({ found, active }) => found && !active) ? { exit: EXIT.found } : {}),
    };
  },
});
