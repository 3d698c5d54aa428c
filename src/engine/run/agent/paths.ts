/** Sub-agents of an agent that runs elsewhere, as entries name them. */
import { escapeName } from '../../task/occurrences.ts';

/** The agent itself has no name. */
export function agentPath(name: string | undefined): string {
  return name === undefined || name === '' ? '' : `/${escapeName(name)}`;
}
