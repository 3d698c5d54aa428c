/**
 * The effective settings, and where each came from. Later layers win: built-in defaults, the user's file, the project's
 * file, environment variables, options given by the caller.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { StoreError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { resolveAliases, withoutPath } from './aliases.ts';
import {
  type ConfigContext,
  environmentLayers,
  fileLayer,
  type Layer,
  projectConfigFile,
  userConfigFile,
} from './layers.ts';
import { refuseLinkedOut } from './linked-out.ts';
import { trustRule } from './needs-trust.ts';
import { type Origin, problemsFrom, refuseSettings, unknownKey, valueAt } from './problems.ts';
import { BUILT_IN_STORAGE, openSchema, strictSchema } from './schema.ts';
import { SETTINGS, settingAt } from './settings.ts';
import { shownValue, trustIn, type Waiting } from './trust.ts';
import type { Config, ConfigInput, Environment } from './types.ts';

export interface LoadConfigOptions {
  /** Default: the working directory. */
  readonly project_dir?: string | undefined;
  readonly env?: Environment | undefined;
  /** The user's home directory. */
  readonly home?: string | undefined;
  readonly platform?: string | undefined;
  /** Settings that override all others. */
  readonly options?: ConfigInput | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly project_dir: string;
  /** Every setting by its dotted key. Passwords in it are masked. */
  readonly explain: Readonly<Record<string, Explained>>;
  /** Settings of the project's file that have no effect yet, because the user has not trusted them. */
  readonly waiting: readonly Waiting[];
}

export interface Explained extends Origin {
  readonly value: unknown;
  /** The value in the project's file, while it is not trusted. */
  readonly waiting?: unknown;
}

export function loadConfig(options: LoadConfigOptions = {}): LoadedConfig {
  const context: ConfigContext = {
    project_dir: resolve(options.project_dir ?? process.cwd()),
    env: options.env ?? process.env,
    home: options.home ?? homedir(),
    platform: options.platform,
  };
  refuseLinkedOut(context.project_dir, context.env);
  const user = fileLayer('user', userConfigFile(context));
  const project = fileLayer('project', projectConfigFile(context)).map(resolveAliases);
  const given: Layer = { source: 'options', from: null, values: options.options ?? {} };
  const named: Layer = { source: 'environment', from: null, values: storageTypeIn(context.env) };
  const meant = storageType([...user, ...project, named, given]);
  for (const layer of project) check(layer, meant);
  const waiting = project.flatMap((layer) => untrusted(layer, isBuiltIn(meant), context));
  const files = [...user, ...project.map((layer) => withoutWaiting(layer, waiting))];
  const type = storageType([...files, named, given]);
  const layers = [
    ...serverLayer(type, context.env),
    ...files,
    ...environmentLayers(context.env, !isBuiltIn(type)),
    given,
  ];
  const { config, explain } = merge(layers, type);
  for (const { key, value } of waiting) {
    const at = explain[key] ?? { value: null, source: 'default', from: null };
    explain[key] = { ...at, waiting: shownValue(key, value) };
  }
  return { config, explain, project_dir: context.project_dir, waiting };
}

/** The notice shown once when settings wait for trust; null if none do. */
export function trustNotice(
  { waiting, project_dir }: Pick<LoadedConfig, 'waiting' | 'project_dir'>,
  command: (words: string) => string,
): string | null {
  if (waiting.length === 0) return null;
  const file = projectConfigFile({ project_dir });
  const keys = waiting.map(({ key }) => key).join(', ');
  return phrase`These settings of the project have no effect until you trust them (${file}): ${keys}. "${command('trust')}" shows them and asks.`;
}

/** If the key is missing because the setting that names it waits for trust, the error should say so. */
export function awaitsTrust(
  error: unknown,
  { waiting }: Pick<LoadedConfig, 'waiting'>,
  command: (words: string) => string,
): unknown {
  const keys = waiting.map(({ key }) => key).filter((key) => key.startsWith('encryption.'));
  if (!(error instanceof StoreError && error.code === 'NO_KEY') || keys.length === 0) return error;
  return new StoreError('NO_KEY', error.message, {
    data: { ...error.data, waiting: keys },
    cause: error,
    hint: phrase`The project says where the key is, but that has no effect until you trust it (${keys.join(', ')}): ${command('trust')}`,
  });
}

/** The settings that need trust and do not have it. */
function untrusted(layer: Layer, builtIn: boolean, { project_dir, env }: ConfigContext): Waiting[] {
  const trust = trustIn(project_dir, env);
  const own = builtIn ? [] : othersIn(layer);
  const paths = [...SETTINGS.map(({ path }) => path), ...own.map((name) => ['persistence', name])];
  return paths.flatMap((path) => {
    const key = path.join('.');
    const value = valueAt(layer.values, path);
    const rule = value === undefined ? null : trustRule(key);
    if (!rule?.needed(value, project_dir) || trust.isTrusted(key, value)) return [];
    return [{ key, value, risk: rule.risk }];
  });
}

function withoutWaiting(layer: Layer, waiting: readonly Waiting[]): Layer {
  const values = waiting.reduce((left, { key }) => withoutPath(left, pathOf(key)), layer.values);
  return { ...layer, values };
}

/** The names of a registered storage type's settings may have dots. */
function pathOf(key: string): readonly string[] {
  return settingAt(key)?.path ?? ['persistence', key.slice('persistence.'.length)];
}

/** Settings from one plain object, with the defaults filled in. */
export function parseConfig(values: ConfigInput): Config {
  const layer: Layer = { source: 'options', from: null, values };
  return merge([layer], storageType([layer])).config;
}

/** PostgreSQL's usual variable, for `postgres` only: in general it may name another kind of server. */
export function serverUrl(env: Environment): string | null {
  return env.DATABASE_URL || null;
}

function merge(
  given: readonly Layer[],
  type: string,
): { config: Config; explain: Record<string, Explained> } {
  const layers = given.map(resolveAliases);
  for (const layer of layers) check(layer, type);
  const explain: Record<string, Explained> = {};
  const merged: Record<string, unknown> = {};
  for (const path of pathsIn(layers)) {
    const key = path.join('.');
    const layer = layers.findLast(({ values }) => valueAt(values, path) !== undefined);
    const value = layer ? valueAt(layer.values, path) : settingAt(key)?.default;
    put(merged, path, value);
    explain[key] = {
      value: shownValue(key, value),
      source: layer?.source ?? 'default',
      from: layer?.from ?? null,
    };
  }
  return { config: freeze(schemaFor(type).parse(merged, { jitless: true })), explain };
}

function check(layer: Layer, type: string): void {
  const checked = schemaFor(type).safeParse(layer.values, { jitless: true });
  const problems = checked.success ? [] : problemsFrom(checked.error.issues, layer.values);
  const reserved = othersIn(layer).filter((name) => name.startsWith('__'));
  problems.push(...reserved.map((name) => unknownKey(['persistence'], name)));
  if (problems.length > 0) refuseSettings(layer, problems);
}

function schemaFor(type: string): typeof strictSchema {
  return isBuiltIn(type) ? strictSchema : openSchema;
}

function pathsIn(layers: readonly Layer[]): (readonly string[])[] {
  const others = new Set(layers.flatMap(othersIn));
  return [...SETTINGS.map(({ path }) => path), ...[...others].map((name) => ['persistence', name])];
}

/** What a layer sets in `persistence` for a storage type that the user registered. */
function othersIn({ values }: Layer): string[] {
  const names = Object.keys(valueAt(values, ['persistence']) ?? {});
  return names.filter((name) => !settingAt(`persistence.${name}`));
}

function storageType(layers: readonly Layer[]): string {
  const path = ['persistence', 'storage_type'];
  const found = layers.map(({ values }) => valueAt(values, path)).filter((value) => value !== undefined);
  const last = found.at(-1) ?? settingAt('persistence.storage_type')!.default;
  return typeof last === 'string' ? last : ''; // the schema refuses anything but text
}

function storageTypeIn(env: Environment): unknown {
  return { persistence: { storage_type: env[settingAt('persistence.storage_type')!.variable] || undefined } };
}

function isBuiltIn(type: string): boolean {
  return (BUILT_IN_STORAGE as readonly string[]).includes(type);
}

function serverLayer(type: string, env: Environment): Layer[] {
  const url = type === 'postgres' ? serverUrl(env) : null;
  return url ? [{ source: 'environment', from: 'DATABASE_URL', values: { persistence: { url } } }] : [];
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = into;
  for (const name of path.slice(0, -1)) {
    at[name] ??= {};
    at = at[name] as Record<string, unknown>;
  }
  at[path.at(-1)!] = value;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const proto = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null && !Array.isArray(value)) return value; // a client a caller passed in
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
