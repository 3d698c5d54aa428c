/** What a checkpoint says recovery needs: journals up to an entry, and variables. Pure. */

const CONTEXT = /^context:\/\/([A-Za-z0-9][A-Za-z0-9_-]{0,99})\/(\d{1,15})$/;
const VARIABLE = 'variable://';

export interface ContextReference {
  readonly task: string;
  /** The last entry of its journal that belongs to it. */
  readonly seq: number;
}

export function contextReference(task: string, seq: number): string {
  return `context://${task}/${seq}`;
}

/** Null if it is not one. */
export function parseContextReference(text: string): ContextReference | null {
  const match = CONTEXT.exec(text);
  return match && { task: match[1]!, seq: Number(match[2]) };
}

/** `journals` are the task's own and those it was forked from, each up to an entry. */
export function requiredContext(
  journals: readonly ContextReference[],
  variables: Iterable<string>,
): string[] {
  return [
    ...journals.map(({ task, seq }) => contextReference(task, seq)),
    ...[...variables].map((name) => `${VARIABLE}${name}`),
  ];
}

/** The missing ones. Names without a scheme are variables: older checkpoints have them. */
export async function missingContext(
  required: readonly string[],
  variables: unknown,
  hasJournal: (reference: ContextReference) => Promise<boolean>,
): Promise<string[]> {
  const missing: string[] = [];
  for (const one of required) {
    const reference = parseContextReference(one);
    const there = reference ? await hasJournal(reference) : hasVariable(variables, one);
    if (!there) missing.push(one);
  }
  return missing;
}

/** Large variables are stored together in a blob, whose content is not checked here. */
function hasVariable(variables: unknown, required: string): boolean {
  const name = required.startsWith(VARIABLE) ? required.slice(VARIABLE.length) : required;
  if (typeof variables !== 'object' || variables === null) return false;
  return Object.hasOwn(variables, '$blob') || Object.hasOwn(variables, name);
}
