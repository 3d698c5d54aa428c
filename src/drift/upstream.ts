/** Which branch of which remote a worktree follows, regardless of their names. */
import { phrase } from '../phrase.ts';
import type { GitOutput } from '../system/git/answer.ts';
import { fieldsOf, type Git, withoutSecrets } from './git.ts';

export interface Upstream {
  /** Null for a branch of the same repository. */
  readonly remote: string | null;
  /** What the remote calls it. */
  readonly remote_ref: string;
  /** Where a fetch puts it. */
  readonly ref: string;
  /** As people write it: `origin/main`. */
  readonly name: string;
  /** The branch's own upstream, or the remote's default branch where it has none. */
  readonly by: 'branch' | 'default';
}

/** Why there is none, in words that continue "nothing is known of upstream: ". */
export type NoUpstream = { readonly none: string };

export function sameUpstream(a: Upstream | null | undefined, b: Upstream | null): boolean {
  if (!a || !b) return !a && !b;
  return a.remote === b.remote && a.remote_ref === b.remote_ref && a.ref === b.ref;
}

interface RepositoryFacts {
  readonly branch: string | null;
  /** In the order in which git reads them. */
  readonly config: ReadonlyMap<string, readonly string[]>;
  /** Remote-tracking refs, with what symbolic ones lead to. */
  readonly tracking: ReadonlyMap<string, { readonly leads_to: string | null }>;
}

/** `wanted` is the one the settings name. */
export async function resolveUpstream(
  git: Git,
  branch: string | null,
  wanted: string | null,
): Promise<Upstream | NoUpstream> {
  const [config, refs] = await Promise.all([
    git.run(['config', '-z', '--list']),
    git.run(['for-each-ref', '--format=%(refname)%00%(symref)', 'refs/remotes']),
  ]);
  const tracking = new Map<string, { leads_to: string | null }>();
  for (const line of refs.output.toString().split('\n').filter(Boolean)) {
    const [ref, symref] = line.split('\0');
    tracking.set(ref!, { leads_to: symref || null });
  }
  return chooseUpstream({ branch, config: configOf(config.output), tracking }, wanted);
}

function configOf(output: GitOutput): Map<string, string[]> {
  const config = new Map<string, string[]>();
  for (const field of fieldsOf(output)) {
    const at = field.indexOf('\n');
    const [name, value] = at < 0 ? [field, 'true'] : [field.slice(0, at), field.slice(at + 1)];
    config.set(name, [...(config.get(name) ?? []), value]);
  }
  return config;
}

function chooseUpstream(facts: RepositoryFacts, wanted: string | null): Upstream | NoUpstream {
  if (wanted !== null) return named(facts, wanted);
  return ofBranch(facts) ?? ofRemote(facts);
}

function ofBranch(facts: RepositoryFacts): Upstream | null {
  const { branch } = facts;
  if (branch === null) return null;
  const remote = last(facts, `branch.${branch}.remote`);
  const remote_ref = last(facts, `branch.${branch}.merge`);
  if (remote === undefined || remote_ref === undefined) return null;
  if (remote === '.')
    return { remote: null, remote_ref, ref: remote_ref, name: short(remote_ref), by: 'branch' };
  const ref = trackingRef(facts, remote, remote_ref) ?? ownRef(remote, remote_ref);
  const name = ref.startsWith(OWN) ? `${withoutSecrets(remote)} ${short(remote_ref)}` : short(ref);
  return { remote, remote_ref, ref, name, by: 'branch' };
}

/** A branch that follows nothing, and a detached HEAD, are compared with the default branch of the remote. */
function ofRemote(facts: RepositoryFacts): Upstream | NoUpstream {
  const remotes = remotesIn(facts);
  if (remotes.length === 0) return { none: phrase`the repository has no remote` };
  // The push remote is often a fork: others push elsewhere.
  const preferred = [last(facts, 'checkout.defaultremote'), 'origin', last(facts, 'remote.pushdefault')];
  const remote =
    remotes.length === 1
      ? remotes[0]
      : preferred.find((name) => name !== undefined && remotes.includes(name));
  if (remote === undefined)
    return {
      none: phrase`there are several remotes (${remotes.join(', ')}), and the branch follows none of them`,
    };
  const prefix = `refs/remotes/${remote}/`;
  const head = facts.tracking.get(`${prefix}HEAD`)?.leads_to;
  const ref = head ?? DEFAULTS.map((name) => prefix + name).find((name) => facts.tracking.has(name));
  const remote_ref = ref === undefined ? undefined : refAtRemote(facts, remote, ref);
  if (ref === undefined || remote_ref === undefined)
    return { none: phrase`the branch has no upstream, and the default branch of ${remote} is not known` };
  return { remote, remote_ref, ref, name: short(ref), by: 'default' };
}

const DEFAULTS = ['main', 'master', 'trunk'];

/** As the settings write it: `origin/develop`, or a full name. */
function named(facts: RepositoryFacts, wanted: string): Upstream | NoUpstream {
  const remote = remotesIn(facts)
    .filter((name) => wanted.startsWith(`${name}/`) || wanted.startsWith(`refs/remotes/${name}/`))
    .sort((a, b) => b.length - a.length)[0];
  if (remote === undefined) return { none: phrase`there is no remote for ${wanted}` };
  const branch = wanted.replace(/^refs\/remotes\//, '').slice(remote.length + 1);
  const remote_ref = `refs/heads/${branch}`;
  const ref = trackingRef(facts, remote, remote_ref) ?? ownRef(remote, remote_ref);
  return { remote, remote_ref, ref, name: `${remote}/${branch}`, by: 'default' };
}

function remotesIn({ config }: RepositoryFacts): string[] {
  return [...config.keys()].flatMap((key) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? []);
}

/** Where a fetch puts the remote's ref by its refspecs, unless that is a local branch, as in a mirror. */
function trackingRef(facts: RepositoryFacts, remote: string, remote_ref: string): string | undefined {
  return refspecs(facts, remote)
    .map(({ from, to }) => mapped(remote_ref, from, to))
    .find((ref) => ref?.startsWith('refs/remotes/'));
}

function refAtRemote(facts: RepositoryFacts, remote: string, ref: string): string | undefined {
  return refspecs(facts, remote)
    .map(({ from, to }) => mapped(ref, to, from))
    .find((name) => name !== undefined);
}

function refspecs({ config }: RepositoryFacts, remote: string): { from: string; to: string }[] {
  return (config.get(`remote.${remote}.fetch`) ?? []).flatMap((spec) => {
    const [from, to] = spec.replace(/^\+/, '').split(':');
    return from && to && !from.startsWith('^') ? [{ from, to }] : [];
  });
}

/** `*` stands for the same on both sides. */
function mapped(ref: string, from: string, to: string): string | undefined {
  const star = from.indexOf('*');
  if (star < 0) return ref === from ? to : undefined;
  const [before, after] = [from.slice(0, star), from.slice(star + 1)];
  const fits = ref.length >= before.length + after.length && ref.startsWith(before) && ref.endsWith(after);
  return fits ? to.replace('*', ref.slice(before.length, ref.length - after.length)) : undefined;
}

/** For refs that no refspec covers: a normal fetch would store them nowhere, or over a local branch. */
function ownRef(remote: string, remote_ref: string): string {
  return `${OWN}${Buffer.from(remote).toString('hex')}/${remote_ref.replace(/^refs\//, '')}`;
}

const OWN = 'refs/vibe-engine/upstream/';

function last({ config }: RepositoryFacts, key: string): string | undefined {
  return config.get(key)?.at(-1);
}

function short(ref: string): string {
  return ref.replace(/^refs\/(heads|remotes)\//, '');
}
