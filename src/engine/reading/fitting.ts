/** Values that are shown whole, up to a size. Pure. */
import { forPeople } from '../../storage/serialize/for-people.ts';
import { encode } from '../../storage/serialize.ts';
import { maskSecrets } from '../secrets/detect.ts';

interface Fitted {
  /** Plain JSON. */
  readonly value: unknown;
  readonly truncated: boolean;
}

/** At most so many characters of JSON: of a larger value, the beginnings of its texts and lists. */
export function fitted(value: unknown, most: number): Fitted {
  if (value === undefined) return { value: null, truncated: false };
  const text = encode(value);
  const plain = forPeople(text); // Bytes as text would say nothing, and nobody would mask a secret in them.
  if (text.length <= most) return { value: plain, truncated: false };
  for (let longest = most; ; longest = Math.floor(longest / 4)) {
    const cut = shortened(plain, longest);
    if (longest < SHORTEST) return { value: null, truncated: true };
    if (JSON.stringify(cut).length <= most) return { value: cut, truncated: true };
  }
}

/** Texts below this say nothing any more. */
const SHORTEST = 16;

/** `longest`: of a text in characters, and of a list in members. */
function shortened(value: unknown, longest: number): unknown {
  // Masked first: half of a secret would not be recognised as one.
  if (typeof value === 'string')
    return value.length <= longest ? value : `${maskSecrets(value).slice(0, longest - 1)}…`;
  if (Array.isArray(value)) return value.slice(0, longest).map((one) => shortened(one, longest));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).slice(0, longest);
  return Object.fromEntries(members.map(([name, one]) => [name, shortened(one, longest)]));
}
