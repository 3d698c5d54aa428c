/** How wide text is on a terminal, and what of it may reach one. */

/** East Asian wide and full-width characters, and emoji: two columns each. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const NONE = /\p{Mn}|\p{Me}|\p{Cf}/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** At most this many columns; what is cut off shows as an ellipsis. */
export function clip(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/**
 * Characters that steer a terminal, turn text around or are not seen at all. The emoji variation selector is allowed after a
 * sign.
 */
const HIDDEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!\ufe0f)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Text that is not ours, as it may reach a terminal: control and invisible characters are shown as their numbers. */
export function harmless(text: string): string {
  return text.replace(HIDDEN, (found) => (found === '\n' || found === '\t' ? found : numbered(found)));
}

/** The same on one line: for names of tasks and files. */
export function tidy(text: string): string {
  return harmless(text.replace(/[\t-\r\u2028\u2029]+/g, ' '));
}

/** Every character shows as itself or as its number, blanks too: for text that has to be shown exactly. */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (found) =>
    found === ' ' ? found : numbered(found),
  );
}

function numbered(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** A JSON document that says the same, and can be shown as it is. */
export function harmlessJson(document: string): string {
  return document.replace(HIDDEN, (found) =>
    found === '\n'
      ? found
      : found.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
