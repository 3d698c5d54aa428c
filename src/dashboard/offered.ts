/** Which verbs the page may call. What needs a terminal, names files of this machine or decides what runs is not among them. */
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { InvalidInputError } from '../errors.ts';
import type { Registry } from '../verbs/kit/registry.ts';
import type { Call, Verb } from '../verbs/kit/verb.ts';
import { VERBS } from '../verbs/verbs.ts';

/** Of those that care for the project: the rest reads and writes files anywhere, or decides what is trusted. */
const CARE: readonly string[] = ['clean', 'doctor', 'config', 'config get', 'config explain'];

/** These only look, as long as the options below are left out. */
const LOOKS: readonly string[] = ['doctor', 'config', 'config get', 'config explain'];

/**
 * What a terminal may add to a verb, and the page may not, by the verb's name or group: other code to run, words for another
 * program, files of this machine, repairs.
 */
const WITHHELD: Readonly<Record<string, readonly string[]>> = {
  run: ['file', 'more'],
  doctor: ['repair'],
  'conflicts resolve': ['content'],
  rollback: ['content'],
  undo: ['content'],
  redo: ['content'],
  take: ['content'],
};
/** Of all: who asks is known, and the stream tells what changes. */
const NEVER: readonly string[] = ['by', 'watch'];

/** Null where there is none of that name for the page. */
export async function offered(name: string, verbs: Registry = VERBS): Promise<Verb | null> {
  const verb = await verbs.get(name)?.();
  return verb && isOffered(verb) ? forPage(verb) : null;
}

export function isOffered({ group, name }: Verb): boolean {
  return group !== 'care' || CARE.includes(name);
}

/** Refused with --read-only, but for its preview. */
export function changes({ group, name }: Verb): boolean {
  return group !== 'look' && !LOOKS.includes(name);
}

function forPage(verb: Verb): Verb {
  const without = [...NEVER, ...(WITHHELD[verb.group] ?? []), ...(WITHHELD[verb.name] ?? [])];
  const kept = <T>(known: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(known).filter(([name]) => !without.includes(name)));
  return {
    ...verb,
    arguments: kept(verb.arguments),
    options: kept(verb.options),
    run: async (call) => {
      if (verb.name === 'fork') refuseElsewhere(call);
      return verb.run({
        ...call,
        args: { ...withheld(verb.arguments), ...call.args },
        options: { ...withheld(verb.options), ...call.options },
      });
    },
  };
}

/** A fork is written beside the project or below it, and nowhere else on this machine. */
function refuseElsewhere({ options, path, project_dir, say }: Call): void {
  const { dir } = options as { readonly dir?: string };
  if (dir === undefined) return;
  const around = dirname(project_dir);
  const inside = relative(around, path(dir));
  const [first] = inside.split(sep);
  if (inside !== '' && first !== '..' && !isAbsolute(inside)) return;
  throw new InvalidInputError('USAGE', say('ui.fork_beside'), {
    data: { dir },
    hint: say('ui.fork_beside_hint', { dir: around }),
  });
}

/** As if they were left out. */
function withheld(known: Verb['arguments'] | Verb['options']): Readonly<Record<string, never>> {
  const values = Object.entries(known).map(([name, { many }]) => [name, many ? [] : undefined]);
  return Object.fromEntries(values);
}
