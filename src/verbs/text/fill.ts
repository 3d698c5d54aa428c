/** A template with its values put in. Chinese has no space between two of its own characters, so none is left where both sides are. Pure. */

export function fill(
  template: string,
  places: RegExp,
  value: (...groups: (string | undefined)[]) => string,
): string {
  const filled = template.replace(places, (...match) => `${BEGIN}${value(...match)}${END}`);
  return filled.replace(BEFORE, '').replace(AFTER, '').replaceAll(BEGIN, '').replaceAll(END, '');
}

/** Where a value begins and ends. What it has of these itself no terminal would show. */
const BEGIN = '\u0001';
const END = '\u0002';
const CHINESE = '[\\p{Script=Han}\\u3000-\\u303f\\uff01-\\uff5e]';
const BEFORE = new RegExp(`(?<=${CHINESE}) (?=${BEGIN}+${CHINESE})`, 'gu');
const AFTER = new RegExp(`(?<=${CHINESE}${END}+) (?=${BEGIN}*${CHINESE})`, 'gu');
