/** The language of the command line: `--lang`, else the locale of the environment, else English. */
import type { Catalogue, TextKey } from './catalogue.ts';
import { en } from './en.ts';
import { zhHans } from './zh-Hans.ts';
import { zhHant } from './zh-Hant.ts';

export const LANGUAGES = ['en', 'zh-Hant', 'zh-Hans'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Says a text of the catalogue with its values filled in. */
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

const CATALOGUES: Readonly<Record<Language, Catalogue>> = { en, 'zh-Hant': zhHant, 'zh-Hans': zhHans };

export function speak(language: Language): Say {
  return (key, values = {}) =>
    CATALOGUES[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** By the customary variables, the first that is set. */
export function languageOf(env: Readonly<Record<string, string | undefined>>): Language {
  return asLanguage(env.LC_ALL || env.LC_MESSAGES || env.LANG || '') ?? 'en';
}

/** Of a name as locales have it (`zh_TW.UTF-8`, `zh-Hant-TW`, `en_US`): the language we speak, if we do. */
export function asLanguage(name: string): Language | undefined {
  if (/^en([-_.@]|$)/i.test(name)) return 'en';
  if (!/^zh([-_.@]|$)/i.test(name)) return undefined;
  return /^zh[-_](hant|tw|hk|mo)/i.test(name) ? 'zh-Hant' : 'zh-Hans';
}
