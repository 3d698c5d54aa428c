/** Changes within JSON that leave it JSON, so that what comes after the parser is reached, too. */
import type { Random } from '../crash/random.ts';
import { NAMES, NUMBERS, TAINT, TEXTS } from './pieces.ts';

/** One place of the text changed, or of one of its lines; as it is where there is no JSON. */
export function mutateJson(bytes: Buffer, draws: Random): Buffer {
  const text = bytes.toString('utf8');
  const lines = text.split('\n');
  const at = draws.below(lines.length);
  try {
    const value = parsed(text);
    if (value !== undefined) return Buffer.from(change(value, draws));
    const one = parsed(lines[at]!);
    return one === undefined ? bytes : Buffer.from(lines.with(at, change(one, draws)).join('\n'));
  } catch (error) {
    if (error instanceof RangeError) return bytes; // nested too deeply to be written again
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Texts stand for places that no value of JSON can express, and are put in at the end. */
const SLOT = 've-fuzz-slot';

function change(value: unknown, draws: Random): string {
  const top = { value };
  const { holder, key } = draws.pick(placesIn(top));
  const there = holder[key];
  let raw = 'null';
  const set = (text: string): void => {
    raw = text;
    holder[key] = SLOT;
  };
  switch (draws.below(8)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      break;
    case 1:
      set(draws.pick(NUMBERS));
      break;
    case 2:
      holder[key] = draws.pick(TEXTS);
      break;
    case 3:
      set(draws.pick(ODD));
      break;
    case 4:
      set(withMember(there, draws));
      break;
    case 5:
      if (Array.isArray(there)) there.push(...(there as unknown[]).slice(0, 50));
      else set(`[${JSON.stringify(there)},${JSON.stringify(there)}]`);
      break;
    case 6:
      holder[key] = structuredClone(pickValue(top, draws));
      break;
    default:
      if (typeof there === 'string') holder[key] = textChanged(there, draws);
      else if (typeof there === 'number') holder[key] = there + draws.pick([-1, 1, 2 ** 31, 0.5, -there]);
      else if (typeof there === 'boolean') holder[key] = !there;
      else holder[key] = null;
  }
  return JSON.stringify(top.value ?? null).replace(`"${SLOT}"`, () => raw);
}

const ODD: readonly string[] = [
  'null',
  'true',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  `{"__proto__":{"${TAINT}":1}}`,
  `{"constructor":{"prototype":{"${TAINT}":1}}}`,
  '{"length":-1}',
  '{"then":1}',
  '{"$ve":"undefined"}',
  '{"$ve":"set","v":[1]}',
  '{"$ve":"Uint8Array","v":"AAAA"}',
  '{"$ve":"date","v":"2026-01-02T03:04:05.678Z"}',
  `${'['.repeat(150)}${']'.repeat(150)}`,
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
];

function withMember(there: unknown, draws: Random): string {
  const member = `${JSON.stringify(draws.pick(NAMES))}:${draws.oneIn(2) ? draws.pick(ODD) : JSON.stringify(draws.pick(TEXTS))}`;
  if (typeof there !== 'object' || there === null || Array.isArray(there)) return `{${member}}`;
  const inside = JSON.stringify(there).slice(1, -1);
  return draws.oneIn(2) || inside === '' ? `{${member}}` : `{${inside},${member}}`;
}

function textChanged(text: string, draws: Random): string {
  const at = draws.below(text.length + 1);
  return draws.oneIn(3) ? text.slice(0, at) : text.slice(0, at) + draws.pick(TEXTS) + text.slice(at);
}

/** Enough of them; those that lie deeper are reached by other draws. */
const MOST_PLACES = 400;

function placesIn(top: Record<string, unknown>): Place[] {
  const places: Place[] = [];
  const waiting: Record<string, unknown>[] = [top];
  while (waiting.length > 0 && places.length < MOST_PLACES) {
    const holder = waiting.pop()!;
    for (const key of Object.keys(holder).slice(0, 100)) {
      places.push({ holder, key });
      const inside = holder[key];
      if (typeof inside === 'object' && inside !== null) waiting.push(inside as Record<string, unknown>);
    }
  }
  return places;
}

function pickValue(top: Record<string, unknown>, draws: Random): unknown {
  const { holder, key } = draws.pick(placesIn(top));
  return holder[key];
}
