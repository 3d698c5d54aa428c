/** Settings as people ask for them: each with its value, where that came from, and what it is for. */
import { homedir } from 'node:os';
import { ALIASES } from '../../config/aliases.ts';
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

export function configFiles(project_dir: string): KnownSettings['files'] {
  return {
    user: userConfigFile({ env: process.env, home: homedir() }),
    project: projectConfigFile({ project_dir }),
  };
}

/** CONFIG_INVALID with the nearest right one, or the one that has this name in another section. */
export function refuseKey(key: string, say: Say): never {
  const keys = SETTINGS.map((setting) => setting.key);
  const last = key.split('.').at(-1)!;
  const near =
    ALIASES.find((alias) => alias.key === key)?.setting ??
    nearest(key, keys) ??
    SETTINGS.find(({ path }) => path.at(-1) === last)?.key ??
    nearest(key, [...new Set(SETTINGS.map(({ path }) => path[0]!))]);
  const meant = near === undefined ? '' : say('usage.nearest', { nearest: near });
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
