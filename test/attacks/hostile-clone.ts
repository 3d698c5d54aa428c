/** A clone whose settings are somebody else's: each that could do harm, with a value that does. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../../src/config/settings.ts';

export interface Bait {
  /** A program that leaves a trace here. */
  readonly command: string;
  /** A server that notices who comes. */
  readonly url: string;
  /** A directory that is not the project's. */
  readonly elsewhere: string;
}

export interface Hostile {
  readonly key: string;
  readonly value: unknown;
}

/** One for each setting that needs trust, and other spellings of the same. */
export function hostileSettings({ command, url, elsewhere }: Bait): Hostile[] {
  return [
    { key: 'persistence.storage_type', value: 'postgres' },
    { key: 'persistence.storage_type', value: 'registered-by-somebody' },
    { key: 'persistence.base_dir', value: elsewhere },
    { key: 'persistence.base_dir', value: '~' },
    { key: 'persistence.path', value: elsewhere },
    { key: 'persistence.path', value: '../..' },
    { key: 'persistence.path', value: '~/.vibe-engine' },
    { key: 'persistence.url', value: url },
    { key: 'persistence.schema', value: 'of_others' },
    { key: 'persistence.allow_unsafe_server', value: true },
    { key: 'cleanup.completed_days', value: 0 },
    { key: 'cleanup.retention.completed_tasks', value: '0d' },
    { key: 'cleanup.failed_days', value: 0 },
    { key: 'cleanup.idle_days', value: 0 },
    { key: 'cleanup.max_per_task', value: 2 },
    { key: 'cleanup.max_checkpoints_per_task', value: 2 },
    { key: 'cleanup.older_than_days', value: 0 },
    { key: 'cleanup.newest_per_execution', value: 1 },
    { key: 'cleanup.remove_completed', value: true },
    { key: 'cleanup.quota_mb', value: 0.001 },
    { key: 'cleanup.grace_hours', value: 0 },
    { key: 'cleanup.conflict_copies_days', value: 0 },
    { key: 'cleanup.max_resolutions', value: 0 },
    { key: 'recovery.on_modified', value: 'use_checkpoint' },
    { key: 'recovery.on_deleted', value: 'restore' },
    { key: 'recovery.on_upstream', value: 'rebase' },
    { key: 'recovery.on_environment', value: 'continue' },
    { key: 'workspace.include', value: ['.env', '**/id_*'] },
    { key: 'conflicts.reuse_resolutions', value: true },
    { key: 'conflicts.merge_tool', value: command },
    { key: 'conflicts.resolver', value: command },
    { key: 'drift.auto_rebase', value: true },
    { key: 'drift.upstream', value: 'elsewhere/main' },
    { key: 'drift.test_command', value: command },
    { key: 'agents.approve', value: ['Read'] },
    { key: 'encryption.enabled', value: false },
    { key: 'encryption.key_from', value: 'command' },
    { key: 'encryption.key_file', value: join(elsewhere, 'key') },
    { key: 'encryption.key_command', value: command },
  ];
}

export function settingsOf(hostile: readonly Hostile[]): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const { key, value } of hostile) {
    const names = key.split('.');
    let at = settings;
    for (const name of names.slice(0, -1)) {
      at[name] ??= {};
      at = at[name] as Record<string, unknown>;
    }
    at[names.at(-1)!] = value;
  }
  return settings;
}

/** As it would come with a clone: written by nobody who was asked. */
export function plantSettings(project: string, settings: unknown): void {
  mkdirSync(join(project, '.vibe-engine'), { recursive: true });
  writeFileSync(join(project, '.vibe-engine', 'config.json'), JSON.stringify(settings));
}

export const EVERY_KEY: readonly string[] = SETTINGS.map(({ key }) => key);
