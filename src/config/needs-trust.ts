/**
 * Which settings of a project count only once the person has trusted them. A project comes from others: what it sets must
 * not run anything, reach a network, name a place outside it or permit anything that its reader has not seen.
 */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { realpath } from '../system/io.ts';
import { SETTINGS } from './settings.ts';

export type Risk = 'runs' | 'network' | 'place' | 'permission';

export interface TrustRule {
  readonly risk: Risk;
  /** Of which values that is true, in words; all of them where it is null. */
  readonly of: string | null;
  needed(value: unknown, project_dir: string): boolean;
}

/** Every setting is either here or among the harmless: whoever adds one has to decide. */
const RULES: Readonly<Record<string, TrustRule>> = {
  'persistence.storage_type': {
    risk: 'network',
    of: 'not `json` or `sqlite`',
    needed: (value) => value !== 'json' && value !== 'sqlite',
  },
  'persistence.base_dir': unlessNull('place'),
  'persistence.path': { risk: 'place', of: 'outside the project', needed: leadsOut },
  'persistence.url': unlessNull('network'),
  'persistence.schema': always('place'),
  'persistence.allow_unsafe_server': only('permission', true),
  // A store outside the project, as the user's own settings may name it, has tasks of other projects, too.
  'cleanup.completed_days': below(7),
  'cleanup.failed_days': below(30),
  'cleanup.max_per_task': below(20),
  'cleanup.older_than_days': unlessNull('permission'),
  'cleanup.newest_per_execution': unlessNull('permission'),
  'cleanup.remove_completed': only('permission', true),
  'cleanup.quota_mb': unlessNull('permission'),
  'cleanup.grace_hours': below(24),
  'cleanup.conflict_copies_days': below(30),
  'cleanup.max_resolutions': below(1000),
  'recovery.on_modified': only('permission', 'use_checkpoint', 'merge'),
  'recovery.on_deleted': only('permission', 'restore'),
  'recovery.on_upstream': only('permission', 'rebase'),
  'recovery.on_environment': only('permission', 'continue', 'go_back'),
  'workspace.include': always('permission'),
  'conflicts.reuse_resolutions': only('permission', true),
  'conflicts.merge_tool': unlessNull('runs'),
  'conflicts.resolver': unlessNull('runs'),
  'drift.auto_rebase': only('permission', true),
  'drift.upstream': unlessNull('network'),
  'drift.test_command': unlessNull('runs'),
  'encryption.enabled': only('permission', false),
  'encryption.key_from': always('permission'),
  'encryption.key_file': unlessNull('place'),
  'encryption.key_command': unlessNull('runs'),
};

export const HARMLESS: readonly string[] = [
  ...['pool_size', 'lease_seconds', 'reconnect_seconds'].map((name) => `persistence.${name}`),
  ...SETTINGS.map(({ key }) => key).filter((key) => /^checkpoints\.|^recovery\.retry\./.test(key)),
  ...['sample_every', 'on_completion', 'on_start_if_missed'].map((name) => `cleanup.${name}`),
  ...['disk_usage_percent', 'daily_at'].map((name) => `cleanup.${name}`),
  'recovery.on_definition_change',
  ...['exclude', 'max_file_mb', 'watch', 'identity'].map((name) => `workspace.${name}`),
  'conflicts.reservation_minutes',
  ...['before_resume', 'before_commit', 'every_minutes', 'test_timeout_minutes'].map(
    (name) => `drift.${name}`,
  ),
  ...['prefer', 'restart_below_progress', 'fetch_timeout_seconds'].map((name) => `drift.${name}`),
];

/** Null for what is harmless. What a back end of the user's own is told may name any place. */
export function trustRule(key: string): TrustRule | null {
  if (Object.hasOwn(RULES, key)) return RULES[key]!;
  return HARMLESS.includes(key) ? null : always('place');
}

function always(risk: Risk): TrustRule {
  return { risk, of: null, needed: () => true };
}

function unlessNull(risk: Risk): TrustRule {
  return { risk, of: null, needed: (value) => value !== null };
}

function only(risk: Risk, ...values: readonly unknown[]): TrustRule {
  const of = values.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  return { risk, of, needed: (value) => values.includes(value) };
}

/** Removing more than the default would. What is no number is not trusted either: the schema refuses it anyway. */
function below(limit: number): TrustRule {
  const needed = (value: unknown): boolean => !(typeof value === 'number' && value >= limit);
  return { risk: 'permission', of: `less than ${limit}`, needed };
}

/** By its name, or by a link on the way. */
function leadsOut(value: unknown, project_dir: string): boolean {
  if (value === null) return false;
  if (typeof value !== 'string' || value.startsWith('~')) return true;
  const path = resolve(project_dir, value);
  if (!isInside(project_dir, path)) return true;
  const root = realpath(project_dir);
  for (let at = path; ; at = join(at, '..')) {
    const real = realpath(at);
    if (real !== null) return root === null || !(real === root || isInside(root, real));
    if (at === resolve(project_dir)) return false;
  }
}

export function isInside(dir: string, path: string): boolean {
  const inside = relative(dir, path);
  return inside !== '' && !isAbsolute(inside) && inside.split(sep)[0] !== '..';
}
