/** The language: `--lang`, else the locale of the environment, else English. */
import type { ErrorCode } from '../../errors.ts';
import { tidy } from '../format/width.ts';
import type { Catalogue, TextKey } from './catalogue.ts';
import { fill } from './fill.ts';

export const LANGUAGES = ['en', 'zh-Hant', 'zh-Hans'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Says a text of the catalogue with its values filled in; values stay on one line. */
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

const CATALOGUES: Readonly<Record<Language, () => Promise<Catalogue>>> = {
  en: async () => (await import('./en.ts')).en,
  'zh-Hant': async () => (await import('./zh-Hant.ts')).zhHant,
  'zh-Hans': async () => (await import('./zh-Hans.ts')).zhHans,
};

/** What an error means, in other languages than its own sentence. */
export async function meaningOf(code: ErrorCode, language: Language): Promise<string | null> {
  if (language === 'en') return null;
  const { codes } =
    language === 'zh-Hant' ? await import('./zh-Hant/codes.ts') : await import('./zh-Hans/codes.ts');
  return codes[code];
}

export async function speak(language: Language): Promise<Say> {
  const catalogue = await CATALOGUES[language]();
  return (key, values = {}) =>
    fill(catalogue[key], /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name, one, more) => {
      const value = values[name!];
      if (value === undefined) return whole!;
      return one === undefined ? tidy(String(value)) : value === 1 ? one : more!;
    });
}

/** From the usual variables, the first that is set. */
export function languageOf(env: Readonly<Record<string, string | undefined>>): Language {
  return asLanguage(env.LC_ALL || env.LC_MESSAGES || env.LANG || '') ?? 'en';
}

/** Of a name as locales have it (`zh_TW.UTF-8`, `zh-Hant-TW`, `en_US`): our language for it, if any. */
export function asLanguage(name: string): Language | undefined {
  if (/^en([-_.@]|$)/i.test(name)) return 'en';
  if (!/^zh([-_.@]|$)/i.test(name)) return undefined;
  return /^zh[-_](hant|tw|hk|mo)/i.test(name) ? 'zh-Hant' : 'zh-Hans';
}
