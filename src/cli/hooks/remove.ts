/** `hooks remove`: the agents' files as they were before the install. */
import { EXIT } from '../../verbs/kit/exit.ts';
import { verb } from '../../verbs/kit/verb.ts';
import { CLIENT_ARGUMENT, CLIENT_STATE, forClients, HERE, stateLines } from './setups.ts';

export const hooksRemove = verb({
  name: 'hooks remove',
  group: 'care',
  arguments: CLIENT_ARGUMENT,
  options: HERE,
  examples: ['hooks remove', 'hooks remove codex'],
  data: { clients: [CLIENT_STATE] },
  async run(call) {
    const { args, options, project_dir } = call;
    const scope = options.here ? { project: project_dir } : {};
    const clients = await forClients(args.client, (setup) => setup.remove(scope));
    return {
      data: { clients },
      lines: stateLines(clients, call),
      ...(clients.some(({ installed, missing }) => installed || missing.length > 0)
        ? { exit: EXIT.found }
        : {}),
    };
  },
});
