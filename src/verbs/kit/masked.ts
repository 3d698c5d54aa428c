/** The texts of an answer as they may be shown. */
import { KEY_BEGINS } from '../../merge/inside-keys.ts';

/** A text as it may be shown; its name says more about it, where it has one. */
export type Mask = (text: string, name?: string) => string;

/** The member of an object. One that begins inside a private key is masked as what it is. */
export function maskedMember(holder: unknown, name: string, text: string, mask: Mask): string {
  const inside = (holder as { readonly inside_key?: unknown }).inside_key;
  if (!Array.isArray(inside) || !inside.includes(name)) return mask(text, name);
  return mask(KEY_BEGINS + text).slice(KEY_BEGINS.length);
}
