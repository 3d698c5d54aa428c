/** Which command a key means. Letters count only where nobody types; `g t` is two keys in a row. Pure. */

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** Keys typed one after the other within this time belong together. */
export const TOGETHER_MS = 900;

/** The name of a key or of two; null where it is none of ours. */
export function chordOf(
  pressed: Pressed,
  before: string | null,
  known: (chord: string) => boolean,
): { readonly chord: string | null; readonly before: string | null } {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return { chord: null, before: null };
  const { key } = pressed;
  const both = before === null ? null : `${before} ${key}`;
  if (both !== null && known(both)) return { chord: both, before: null };
  if (known(key)) return { chord: key, before: null };
  return { chord: null, before: key.length === 1 ? key : null };
}

/** Whether keys pressed there are text. */
export function isTyping(target: { readonly tagName?: string; readonly type?: string } | null): boolean {
  const tag = target?.tagName?.toLowerCase();
  if (tag === 'textarea' || tag === 'select') return true;
  return tag === 'input' && !['checkbox', 'radio', 'button', 'range'].includes(target?.type ?? 'text');
}
