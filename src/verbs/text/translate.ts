/**
 * Translates sentences of the lower layers. They come as plain English, made with the tag of `src/phrase.ts`: a sentence is
 * matched against the templates, and what matches `{0}` is a value.
 */

import type { Language } from './choose.ts';
import { fill } from './fill.ts';
import type { Said } from './said/said.ts';

/** What is unknown (a person's own words, what a program printed) comes back as it is. */
export type Translate = (english: string) => string;

export async function translator(language: Language): Promise<Translate> {
  if (language === 'en') return (english) => english;
  const { SAID } = await import('./said/all.ts');
  const { WORDS } = await import('./said/words.ts');
  return translateBy({ ...WORDS, ...SAID }, language === 'zh-Hant' ? 0 : 1);
}

/** `explained`: how many of its letters a template accounts for. Of all ways to read a text, the one with most is right. */
interface Reading {
  readonly said: string;
  readonly explained: number;
}

export function translateBy(said: Said, column: 0 | 1): Translate {
  const templates = Object.entries(said).map(([template, columns]) => ({
    literals: template.split(/\{\d+\}/),
    into: columns[column],
  }));

  /** As one sentence. */
  const whole = (english: string): Reading => {
    let best: Reading = { said: english, explained: 0 };
    for (const { literals, into } of templates) {
      const values = valuesIn(english, literals);
      if (!values) continue;
      let explained = literals.join('').length;
      const text = fill(into, /\{(\d+)(!?)\}/g, (_, at, isSaid) => {
        const value = values[Number(at)]!;
        if (!isSaid) return value;
        const inner = listed(value);
        explained += inner.explained;
        return inner.said;
      });
      if (explained > best.explained) best = { said: text, explained };
    }
    return best;
  };

  /** As several sentences, one after another. */
  const sentences = (english: string): Reading => {
    const units = english.split(/(?<=[.!?…])(?= )|(?=\n)/);
    const most = units.length > MANY ? 1 : units.length;
    const from: Reading[] = [];
    from[units.length] = { said: '', explained: 0 };
    for (let first = units.length - 1; first >= 0; first--) {
      for (let end = first + 1; end <= Math.min(units.length, first + most); end++) {
        const [, gap, text] = /^(\s*)([\s\S]*)$/.exec(units.slice(first, end).join(''))!;
        const one = whole(text!);
        const explained = one.explained + from[end]!.explained;
        const best = from[first];
        if (!best || explained > best.explained)
          from[first] = { said: joined(gap! + one.said, from[end]!.said), explained };
      }
    }
    return from[0]!;
  };

  /** As sentences, or as a list of what we say. */
  const listed = (english: string): Reading => {
    const read = sentences(english);
    const items = english.split(', ').map(sentences);
    const explained = items.reduce((sum, item) => sum + item.explained, 0);
    if (explained <= read.explained || items.some((item) => item.explained === 0)) return read;
    return { said: items.map(({ said }) => said).join('、'), explained };
  };

  return (english) => sentences(english).said;
}

/** More sentences than this are translated one by one. */
const MANY = 12;

/** The text between the literals, if all of them occur in this order and nothing is left over. */
function valuesIn(english: string, literals: readonly string[]): string[] | null {
  const [first, ...rest] = literals as [string, ...string[]];
  if (!english.startsWith(first)) return null;
  if (rest.length === 0) return english === first ? [] : null;
  const last = rest.pop()!;
  const values: string[] = [];
  let at = first.length;
  for (const literal of rest) {
    const next = english.indexOf(literal, at);
    if (next < 0) return null;
    values.push(english.slice(at, next));
    at = next + literal.length;
  }
  const end = english.length - last.length;
  if (end < at || !english.endsWith(last)) return null;
  return [...values, english.slice(at, end)];
}

/** Chinese has no space after a full stop. */
function joined(left: string, right: string): string {
  return /[。！？：；」”）]$/.test(left) ? left + right.replace(/^ +/, '') : left + right;
}
