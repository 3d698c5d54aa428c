/** Strings as JSON text, quickly. */

const SHORT = 60;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Most text is short and needs no escapes; finding that out here is quicker than calling JSON.stringify. */
export function quote(text: string): string {
  const length = text.length;
  if (length > SHORT) return JSON.stringify(text);
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) return JSON.stringify(text);
  }
  return `"${text}"`;
}

/** Keys repeat, so their text is kept; the bound is for data that uses ids as keys. */
const keyTexts = new Map<string, string>();
const KEPT_KEYS = 2_000;

export function quoteKey(key: string): string {
  const kept = keyTexts.get(key);
  if (kept !== undefined) return kept;
  const text = `${quote(key)}:`;
  if (keyTexts.size >= KEPT_KEYS) keyTexts.clear();
  if (key.length <= SHORT) keyTexts.set(key, text);
  return text;
}
