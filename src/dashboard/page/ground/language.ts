/** The language of the page, kept in this browser. The text of a language is one file, loaded when it is first wanted. */
import { signal } from '@preact/signals';
import type { TextKey } from '../../../verbs/text/catalogue.ts';
import { fill } from '../../../verbs/text/fill.ts';
import { once } from '../lib/once.ts';
import { plainOf } from '../lib/shown.ts';
import { browserSetting } from './browser-setting.ts';

export type Language = 'en' | 'zh-Hant' | 'zh-Hans';
export const LANGUAGES: readonly Language[] = ['en', 'zh-Hant', 'zh-Hans'];
type PageKey = Extract<TextKey, `page.${string}`>;

const store = browserSetting('language');
export const language = signal<Language>(chosen());
const texts = signal<Readonly<Record<string, string>>>({});

/**
 * Says a text of the page in its language, with its values filled in, whose hidden characters are shown; whatever says it is
 * drawn again when that changes.
 */
export function say(key: PageKey, values: Readonly<Record<string, string | number>> = {}): string {
  const places = /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g;
  return fill(texts.value[key] ?? key, places, (whole, name, one, more) => {
    const value = values[name!];
    if (value === undefined) return whole!;
    return one === undefined ? plainOf(String(value)) : value === 1 ? one : more!;
  });
}

/** Resolves once the language can be spoken: on the list of tasks, and wherever it could be before. */
export async function speak(wanted: Language = language.peek()): Promise<void> {
  turn += 1;
  const now = turn;
  const names = speaksOfAll ? [wanted, `${wanted}-screens`] : [wanted];
  const parts = await Promise.all(
    names.map(async (name) => (await fetch(`/text-${name}.json`)).json() as Promise<Record<string, string>>),
  );
  if (now !== turn) return; // Another was chosen meanwhile.
  texts.value = Object.assign({}, ...parts);
  language.value = wanted;
  document.documentElement.lang = wanted;
}

let turn = 0;
let speaksOfAll = false;

/** Resolves once all screens can be spoken of. */
export const speakOfAll = once(() => {
  speaksOfAll = true;
  return speak();
});

export async function choose(wanted: Language): Promise<void> {
  store.set(wanted);
  await speak(wanted);
}

function chosen(): Language {
  const known = LANGUAGES.find((one) => one === store.get());
  return known ?? navigator.languages.map(asLanguage).find((one) => one !== null) ?? 'en';
}

/** Our language for the browser's name of one. */
function asLanguage(name: string): Language | null {
  if (/^en\b/i.test(name)) return 'en';
  if (!/^zh\b/i.test(name)) return null;
  return /hant|tw|hk|mo/i.test(name) ? 'zh-Hant' : 'zh-Hans';
}
