/**
 * Which settings of a project take effect only once the user has trusted them. A project comes from others: its settings
 * must not run a program, reach a network, name a path outside the project or permit anything before the user has seen them.
 */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { realpath } from '../system/io.ts';
import { SETTINGS } from './settings.ts';

export type Risk = 'runs' | 'network' | 'place' | 'permission';

interface TrustRule {
  readonly risk: Risk;
  /** For which values, in words; null means all. */
  readonly of: string | null;
  needed(value: unknown, project_dir: string): boolean;
}

/** Every setting is either here or listed as harmless: adding one means deciding. */
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
  // A store outside the project, which the user's own settings may name, also holds tasks of other projects.
  'cleanup.completed_days': below(7),
  'cleanup.failed_days': below(30),
  'cleanup.idle_days': below(30),
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
  // It would take the place of the user's own list.
  'agents.approve': always('permission'),
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

/** Null for harmless settings. A setting of a back end that the user registered may name any path. */
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

/** Removing more than the default would. Anything but a number is not trusted either: the schema refuses it anyway. */
function below(limit: number): TrustRule {
  const needed = (value: unknown): boolean => !(typeof value === 'number' && value >= limit);
  return { risk: 'permission', of: `less than ${limit}`, needed };
}

/** Whether a path leaves the project, by its name or through a link. */
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
