/**
 * What a task requires of the machine: `{ node: '>=24', git: '^2.38', 'env:API_KEY': 'set' }`. Tools by the range their
 * version must lie in, variables by name, never by value.
 */
import { phrase } from '../../phrase.ts';
import { satisfies } from './version-range.ts';

export interface Machine {
  /** The version that a tool reports, or null if it is missing; undefined if it was not started. */
  toolVersion(name: string): Promise<string | null | undefined>;
  /** Whether a variable of the environment is set. */
  isSet(variable: string): boolean;
}

/** One sentence for each requirement that is not met. */
export async function unmetRequirements(
  requirements: Readonly<Record<string, string>>,
  machine: Machine,
): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(requirements).map(([name, wanted]) =>
      name.startsWith(VARIABLE)
        ? variableProblem(name.slice(VARIABLE.length), wanted, machine)
        : toolProblem(name, wanted, machine),
    ),
  );
  return found.filter((problem) => problem !== null);
}

const VARIABLE = 'env:';

function variableProblem(name: string, wanted: string, machine: Machine): string | null {
  if (wanted !== 'set')
    return phrase`The requirement "${VARIABLE}${name}" cannot be read: a variable can only be required to be "set".`;
  return machine.isSet(name) ? null : phrase`The variable ${name} is not set.`;
}

async function toolProblem(name: string, wanted: string, machine: Machine): Promise<string | null> {
  const version = await machine.toolVersion(name);
  if (version === undefined)
    return phrase`${name} was not asked for its version, ${wanted} is needed: only known tools are started, and none for an imported task.`;
  if (version === null) return phrase`${name} is missing, ${wanted} is needed.`;
  const answer = await satisfies(version, wanted);
  if (answer === 'unreadable')
    return phrase`The requirement "${name}": "${wanted}" cannot be read (found ${version}).`;
  return answer ? null : phrase`Found ${name} ${version}, ${wanted} is needed.`;
}
