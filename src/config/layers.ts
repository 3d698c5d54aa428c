/** Where settings are looked for, each place as a layer of raw values. Nothing is judged here but the text itself. */

import { dirname, isAbsolute, join, resolve } from 'node:path';
import { IoError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import { ensureDir, readIfExists, replaceFile } from '../system/files.ts';
import { errnoOf } from '../system/io.ts';
import { otherOwnerOf } from '../system/owner.ts';
import { platform } from '../system/platform.ts';
import { ALIASES, givenTwice, readAlias } from './aliases.ts';
import { isDeep, MAX_DEPTH, parseJson } from './json-text.ts';
import { nearest } from './nearest.ts';
import { type Origin, refuseFile, refuseSettings, unknownKey } from './problems.ts';
import { readText, SETTINGS, settingAt, VARIABLE_PREFIX } from './settings.ts';
import type { Environment } from './types.ts';

export interface Layer extends Origin {
  readonly values: unknown;
}

export interface ConfigContext {
  readonly project_dir: string;
  readonly env: Environment;
  readonly home: string;
  /** Default: this one. */
  readonly platform?: string | undefined;
}

export function projectConfigFile(context: Pick<ConfigContext, 'project_dir'>): string {
  return join(resolve(context.project_dir), '.vibe-engine', 'config.json');
}

/** `$XDG_CONFIG_HOME/vibe-engine/config.json`, else in `~/.config`; on Windows in `%APPDATA%`. */
export function userConfigFile({ env, home, ...context }: Omit<ConfigContext, 'project_dir'>): string {
  const [named, fallback] =
    (context.platform ?? platform.name) === 'win32'
      ? [env.APPDATA, join(home, 'AppData', 'Roaming')]
      : [env.XDG_CONFIG_HOME, join(home, '.config')];
  return join(named && isAbsolute(named) ? named : fallback, 'vibe-engine', 'config.json');
}

/** The layer of a file; null if there is no such file. */
export function fileLayer(source: 'user' | 'project', from: string): Layer[] {
  const origin: Origin = { source, from };
  const bytes = readFile(origin, from);
  if (!bytes) return [];
  const result = parseJson(bytes.toString('utf8'));
  if (!result.ok) {
    const { line, column, found } = result;
    refuseFile(origin, phrase`not JSON at line ${line}, column ${column}: ${found}.`, 'JSON', {
      line,
      column,
    });
  }
  if (isDeep(result.value))
    refuseFile(origin, phrase`it is nested too deeply.`, `JSON of at most ${MAX_DEPTH} levels`, {});
  if (typeof result.value !== 'object' || result.value === null || Array.isArray(result.value)) {
    refuseFile(origin, phrase`it does not hold an object.`, phrase`a JSON object ({ … })`, {});
  }
  return [{ ...origin, values: result.value }];
}

/** The file comes with the project, and so possibly from strangers. */
const MAX_BYTES = 1024 * 1024;

function readFile(origin: Origin, path: string): Buffer | null {
  try {
    return readIfExists(path, MAX_BYTES);
  } catch (error) {
    if (errnoOf(error) === 'EACCES') refuseOthers(origin, dirname(path));
    const expected = phrase`a file of at most ${MAX_BYTES} bytes that this user may read`;
    return refuseFile(origin, phrase`it cannot be read.`, expected, {}, error);
  }
}

/** Happens after a command was run with sudo, or in a project that several people share. */
function refuseOthers(origin: Origin, dir: string): void {
  const owner = otherOwnerOf(dir);
  if (owner === null) return;
  throw new IoError('NO_PERMISSION', phrase`${dir} belongs to user ${owner}, and you may not read it.`, {
    data: { source: origin.source, file: origin.from, owner },
    hint: phrase`Work as ${owner}, or in a copy of the project that is yours. If the tasks in it are yours: sudo chown -R "$(id -u):$(id -g)" '${dir}'`,
  });
}

/** Replaces the whole file. */
export function writeFileLayer(file: string, values: object): void {
  ensureDir(dirname(file));
  replaceFile(file, Buffer.from(`${JSON.stringify(values, null, 2)}\n`));
}

/** One layer per variable that sets something. An empty variable counts as not set. */
export function environmentLayers(env: Environment, openPersistence: boolean): Layer[] {
  const byVariable = new Map(SETTINGS.map((setting) => [setting.variable, setting]));
  const aliases = new Map(ALIASES.map((alias) => [alias.variable, alias]));
  const layers: Layer[] = [];
  for (const [variable, text] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!variable.startsWith(VARIABLE_PREFIX) || text === undefined || text === '') continue;
    const setting = byVariable.get(variable);
    const origin: Origin = { source: 'environment', from: variable };
    const alias = aliases.get(variable);
    if (alias) {
      const stands = alias.setting === null ? undefined : settingAt(alias.setting)!;
      if (stands && env[stands.variable]) refuseSettings(origin, [givenTwice(variable, stands.variable)]);
      layers.push({ ...origin, values: nest(alias.path, readAlias(alias, stands, text)) });
    } else if (setting) {
      layers.push({ ...origin, values: nest(setting.path, readText(setting, text)) });
    } else if (openPersistence && variable.startsWith(PERSISTENCE)) {
      layers.push({
        ...origin,
        values: nest(['persistence', variable.slice(PERSISTENCE.length).toLowerCase()], text),
      });
    } else {
      refuseMisspelt(origin, variable, [...byVariable.keys(), ...aliases.keys()]);
    }
  }
  return layers;
}

const PERSISTENCE = `${VARIABLE_PREFIX}PERSISTENCE_`;
const SECTIONS = [...new Set(SETTINGS.map(({ path }) => path[0]!))];

/** Refuses a variable that looks like a misspelt setting; other variables with our prefix are left alone. */
function refuseMisspelt(origin: Origin, variable: string, known: readonly string[]): void {
  const section = SECTIONS.find((name) => variable.startsWith(`${VARIABLE_PREFIX}${name.toUpperCase()}_`));
  const near = nearest(
    variable.slice(VARIABLE_PREFIX.length),
    known.map((name) => name.slice(VARIABLE_PREFIX.length)),
  );
  if (!section && !near) return;
  const problem = unknownKey([], variable);
  const sentence = phrase`no setting has this variable.`;
  refuseSettings(origin, [{ ...problem, sentence, suggestion: near && VARIABLE_PREFIX + near }]);
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}
