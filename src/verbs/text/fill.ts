/**
 * A template with its values put in. Chinese has no space between two Chinese characters, so the template's space is dropped
 * there. Pure.
 */

export function fill(
  template: string,
  places: RegExp,
  value: (...groups: (string | undefined)[]) => string,
): string {
  let text = '';
  let at = 0;
  for (const place of template.matchAll(places)) {
    const literal = template.slice(at, place.index);
    const given = value(...place);
    text = after(text, literal);
    if (literal.endsWith(' ') && ENDS_BEFORE_SPACE.test(text) && BEGINS.test(given)) text = text.slice(0, -1);
    text += given;
    at = place.index + place[0].length;
  }
  return after(text, template.slice(at));
}

/** What stands behind a value. */
function after(text: string, literal: string): string {
  const isBetween = ENDS.test(text) && literal.startsWith(' ') && BEGINS.test(literal.slice(1));
  return text + (isBetween ? literal.slice(1) : literal);
}

const CHINESE = '[\\p{Script=Han}\\u3000-\\u303f\\uff01-\\uff5e]';
const BEGINS = new RegExp(`^${CHINESE}`, 'u');
const ENDS = new RegExp(`${CHINESE}$`, 'u');
const ENDS_BEFORE_SPACE = new RegExp(`${CHINESE} $`, 'u');
