/** What a language has to say: the keys of the English text. */
import type { en } from './en.ts';

export type TextKey = keyof typeof en;
export type Catalogue = Readonly<Record<TextKey, string>>;
