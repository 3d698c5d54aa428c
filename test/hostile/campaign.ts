/** Directories that somebody sends, each with other faults, and somebody who types verbs in them. */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { everyVerb } from '../attacks/every-verb.ts';
import { random } from '../crash/random.ts';
import type { Template } from './template.ts';
import { TRAITS } from './traits.ts';
import { isExpected, watched } from './watch.ts';

export interface Plan {
  readonly seed: number;
  /** Which of the directories this seed makes. */
  readonly number: number;
  /** How the command is begun: ours, or a copy of it with a bug. */
  readonly cli: readonly string[];
  /** So many of the verbs. */
  readonly commands: number;
  /** These and no others, where they are given. */
  readonly traits?: readonly string[];
  readonly only?: (words: readonly string[]) => boolean;
}

/** Where git fetches, merges or adds by what its own configuration says, as the docs tell. */
const AS_GIT = new Set([
  'drift',
  'rebase',
  'resume',
  'retry',
  'restart',
  'checkpoints resume',
  'run',
  'exec',
]);

export async function attack(
  template: Template,
  plan: Plan,
): Promise<{ tried: number; violations: string[] }> {
  const rng = random(plan.seed, 'hostile', plan.number);
  const traits = plan.traits ?? Object.keys(TRAITS).filter(() => rng.oneIn(3));
  const root = join(template.root, `sent-${plan.seed}-${plan.number}`);
  const victim = { ...template, root, dir: join(root, 'clone'), random: rng };
  const [state, home, out] = ['state', 'home', 'out'].map((name) => join(root, name));
  try {
    mkdirSync(root);
    cpSync(template.dir, victim.dir, { recursive: true, verbatimSymlinks: true });
    // The store names it by its path: it is made again for each.
    rmSync(template.elsewhere, { recursive: true, force: true });
    cpSync(template.untouched, template.elsewhere, { recursive: true, verbatimSymlinks: true });
    for (const dir of [state!, home!, out!]) mkdirSync(dir, { mode: 0o700 });
    for (const name of traits) TRAITS[name]!(victim);
    const env = {
      PATH: `${join(template.bait, 'path')}:${process.env.PATH}`,
      HOME: home,
      VIBE_ENGINE_STATE_DIR: state,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LANG: 'C.UTF-8',
      PGPASSWORD: 'secret',
    };
    let made = 0;
    const all = everyVerb({ ...victim, fresh: () => join(out!, `${made++}`) }).filter(
      plan.only ?? (() => true),
    );
    const violations: string[] = [];
    const picked = pick(all, plan.commands, rng.below);
    for (const words of picked) {
      const seen = await watched([...plan.cli, ...words], victim.dir, env);
      for (const fault of faultsOf(words, seen, template.bait))
        violations.push(
          `seed ${plan.seed} number ${plan.number} [${traits.join(', ')}] ${words.join(' ')}: ${fault}`,
        );
    }
    return { tried: picked.length, violations };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** So many of them, in their order: what removes something comes last. */
function pick<T>(from: readonly T[], count: number, below: (limit: number) => number): T[] {
  const left = from.map((_, at) => at);
  const taken = new Set<number>();
  while (taken.size < Math.min(count, from.length)) taken.add(left.splice(below(left.length), 1)[0]!);
  return from.filter((_, at) => taken.has(at));
}

function faultsOf(
  words: readonly string[],
  { programs, addresses }: Awaited<ReturnType<typeof watched>>,
  bait: string,
): string[] {
  const asGit = AS_GIT.has(words[0]!) || AS_GIT.has(words.slice(0, 2).join(' '));
  const named = NAMED[words[0]!]?.(words) ?? /^$/;
  const ran = programs.filter(({ path }) => !isExpected(path) && !named.test(path));
  const own = (line: string) =>
    asGit && (line.includes(join(bait, 'as-git')) || /\/(?:sh|ssh)", \[/.test(line));
  return [
    ...ran.filter(({ line }) => !own(line) || isBait(line, bait)).map(({ line }) => line.slice(0, 300)),
    ...(asGit ? [] : addresses.map((address) => `connects to ${address}`)),
  ];
}

/** What the person has typed, or said yes to. */
const NAMED: Readonly<Record<string, (words: readonly string[]) => RegExp | undefined>> = {
  exec: () => /\/true$/,
  restart: (words) => (words.includes('--yes') ? /\/(?:true|bait\/command)$/ : undefined),
};

/** A program of the sender's that not even git would have run. */
function isBait(line: string, bait: string): boolean {
  return line.includes(`${bait}/`) && !line.includes(join(bait, 'as-git'));
}
