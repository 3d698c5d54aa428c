/** Settings as people ask for them: each with its value, where that came from, and what it is for. */
import { homedir } from 'node:os';
import { ALIASES, expectedOf } from '../../config/aliases.ts';
import { projectConfigFile, userConfigFile } from '../../config/layers.ts';
import { type Explained, loadConfig } from '../../config/load.ts';
import { nearest } from '../../config/nearest.ts';
import { SETTINGS, type Setting, settingAt } from '../../config/settings.ts';
import { ConfigError } from '../../errors.ts';
import type { Language, Say } from '../text/choose.ts';

export interface KnownSetting extends Explained, Pick<Setting, 'key' | 'default' | 'description'> {
  readonly expects: string | null;
  readonly waiting: unknown;
  readonly variable: string | null;
}

export interface KnownSettings {
  readonly files: { readonly user: string; readonly project: string };
  readonly settings: readonly KnownSetting[];
}

export async function describeSettings(project_dir: string, language: Language): Promise<KnownSettings> {
  const { explain } = loadConfig({ project_dir });
  const meaning = await meaningsIn(language);
  const settings = Object.entries(explain).map(([key, explained]) => {
    const setting = settingAt(key);
    return {
      key,
      waiting: null,
      ...explained,
      default: setting?.default ?? null,
      expects: setting?.expects ?? null,
      description: setting ? meaning(setting) : '',
      variable: setting?.variable ?? null,
    };
  });
  return { files: configFiles(project_dir), settings };
}

/** The settings with this key or in this section; of the other names, each written as that name has it. */
export function settingsNamed(settings: readonly KnownSetting[], key: string): KnownSetting[] {
  const named = (one: { readonly key: string }) => one.key === key || one.key.startsWith(`${key}.`);
  const own = settings.filter(named);
  if (own.length > 0) return own;
  return ALIASES.filter(named).map((alias) => {
    const stands = settings.find((one) => one.key === alias.setting) ?? ALWAYS;
    return {
      ...stands,
      key: alias.key,
      variable: alias.variable,
      value: alias.write(stands.value),
      default: alias.write(stands.default),
      waiting: stands.waiting === null ? null : alias.write(stands.waiting),
      expects: expectedOf(alias),
    };
  });
}

/** Behind a name of the documents whose only value is what always holds. */
const ALWAYS: KnownSetting = {
  key: '',
  value: null,
  source: 'default',
  from: null,
  waiting: null,
  default: null,
  expects: null,
  description: '',
  variable: null,
};

export function configFiles(project_dir: string): KnownSettings['files'] {
  return {
    user: userConfigFile({ env: process.env, home: homedir() }),
    project: projectConfigFile({ project_dir }),
  };
}

/** CONFIG_INVALID with the nearest right one, or the one that has this name in another section. */
export function refuseKey(key: string, say: Say): never {
  const keys = [...SETTINGS, ...ALIASES].map((one) => one.key);
  const last = key.split('.').at(-1)!;
  const near =
    nearest(key, keys) ??
    SETTINGS.find(({ path }) => path.at(-1) === last)?.key ??
    nearest(key, [...new Set(SETTINGS.map(({ path }) => path[0]!))]);
  const meant = near === undefined || near === key ? '' : say('usage.nearest', { nearest: near });
  throw new ConfigError('CONFIG_INVALID', say('config.no_setting', { key }), {
    data: { key, suggestion: near ?? null },
    hint: meant + say('config.list_them'),
  });
}

/** The English ones are in the schema. */
async function meaningsIn(language: Language): Promise<(setting: Setting) => string> {
  if (language === 'en') return ({ description }) => description.replaceAll('`', '');
  const { settings } =
    language === 'zh-Hant'
      ? await import('../text/zh-Hant/settings.ts')
      : await import('../text/zh-Hans/settings.ts');
  return ({ key, description }) => settings[key] ?? description;
}
