/** Changes settings in a settings file. The rest of the file stays; invalid values are refused first. */
import { dirname } from 'node:path';
import { aliasAt, typedFor, withoutOtherNames } from '../../config/aliases.ts';
import { fileLayer, writeFileLayer } from '../../config/layers.ts';
import { parseConfig } from '../../config/load.ts';
import { notForProjects, refuseSettings, valueAt } from '../../config/problems.ts';
import { BUILT_IN_STORAGE } from '../../config/schema.ts';
import { readText, settingAt } from '../../config/settings.ts';
import { trustSettings } from '../../config/trust.ts';
import type { Config, ConfigInput } from '../../config/types.ts';
import type { Say } from '../text/choose.ts';
import { refuseKey } from './known.ts';

interface SettingsFile {
  readonly file: string;
  readonly source: 'user' | 'project';
}

interface NewSetting extends SettingsFile {
  readonly key: string;
  /** Null removes it from the file. */
  readonly text: string | null;
}

/** Returns the value in the file now; undefined if there is none. */
export function writeSetting({ file, source, key, text }: NewSetting, config: Config, say: Say): unknown {
  return writeSettings({ file, source }, [[key, text]], config, say)[0];
}

/** Under another name, too: the file then has the setting's own. The key is null where the only value always holds. */
export function writeNamed(
  { key, text, ...to }: NewSetting,
  config: Config,
  say: Say,
): { readonly key: string | null; readonly value: unknown } {
  const alias = settingAt(key) ? undefined : aliasAt(key);
  if (!alias) return { key, value: writeSetting({ ...to, key, text }, config, say) };
  const setting = alias.setting === null ? undefined : settingAt(alias.setting)!;
  const now = setting ? valueAt(config, setting.path) : alias.write(null);
  const value = text === null ? null : typedFor(alias, text, { source: to.source, from: to.file }, now);
  if (!setting) return { key: null, value: now };
  const own = { ...to, key: setting.key, text: text === null ? null : String(value) };
  return { key: setting.key, value: writeSetting(own, config, say) };
}

/** Several at once: the file has all of them or none. */
export function writeSettings(
  { file, source }: SettingsFile,
  settings: readonly (readonly [key: string, text: string | null])[],
  config: Config,
  say: Say,
): unknown[] {
  let after = (fileLayer(source, file)[0]?.values ?? {}) as Record<string, unknown>;
  const values = settings.map(([key, text]) => {
    const setting = settingAt(key);
    if (!setting && !isOwn(key, config)) refuseKey(key, say);
    if (setting?.personal && source === 'project' && text !== null)
      refuseSettings({ source, from: file }, [notForProjects(key)]);
    const value = text === null ? undefined : setting ? readText(setting, text) : text;
    after = put(withoutOtherNames(after, key) as typeof after, key.split('.'), value);
    return value;
  });
  parseConfig(after as ConfigInput);
  // A typed value has been seen by the user, and counts as trusted.
  const typed = settings.map(([key], at) => ({ key, value: values[at] }));
  const set = typed.filter(({ value }) => value !== undefined);
  if (source === 'project') trustSettings(dirname(dirname(file)), set, process.env);
  writeFileLayer(file, after);
  return values;
}

/** Of a back end that the user registered. */
function isOwn(key: string, { persistence }: Config): boolean {
  const builtIn = (BUILT_IN_STORAGE as readonly string[]).includes(persistence.storage_type);
  return !builtIn && /^persistence\.[a-z][a-z0-9_]*$/.test(key);
}

function put(
  into: Record<string, unknown>,
  [name, ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const { [name!]: old, ...others } = into;
  if (rest.length === 0) return value === undefined ? others : { ...into, [name!]: value };
  const inner = put((old ?? {}) as Record<string, unknown>, rest, value);
  return Object.keys(inner).length === 0 ? others : { ...into, [name!]: inner };
}
