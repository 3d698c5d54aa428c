/** `hooks status`: what the agents themselves say of our plugin. */
import type { SetupState } from '../../agents/client.ts';
import { EXIT } from '../../verbs/kit/exit.ts';
import { verb } from '../../verbs/kit/verb.ts';
import { CLIENT_ARGUMENT, CLIENT_STATE, forClients, HERE, stateLines } from './setups.ts';

export const hooksStatus = verb({
  name: 'hooks status',
  group: 'care',
  arguments: CLIENT_ARGUMENT,
  options: HERE,
  examples: ['hooks status', 'hooks status claude --json'],
  data: { clients: [CLIENT_STATE] },
  async run(call) {
    const { args, options, project_dir } = call;
    const scope = options.here ? { project: project_dir } : {};
    const clients = await forClients(args.client, (setup) => setup.status(scope));
    return {
      data: { clients },
      lines: stateLines(clients, call),
      ...(clients.some(isBroken) ? { exit: EXIT.found } : {}),
    };
  },
});

/** It does not start, or is not recorded. */
const isBroken = ({ found, version, installed, active }: SetupState): boolean =>
  found && (version === null || (installed && !active));
