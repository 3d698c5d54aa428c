/**
 * Ids that sort as text by the time they were made: a prefix, 48 bits of milliseconds, 80 random bits, in lower-case
 * Crockford base 32, so that they are also safe as file names where case does not count.
 */
import { randomBytes } from 'node:crypto';
import { InvalidInputError } from '../errors.ts';
import { phrase } from '../phrase.ts';

/** `now` is for tests and imports; ids made without it never go backwards, even if the machine's clock does. */
export function newTaskId(now?: Date): string {
  return newId('t', now);
}

export function newId(prefix: string, now?: Date): string {
  if (!PREFIX.test(prefix))
    refuse(phrase`Not a valid prefix for ids: ${JSON.stringify(prefix)}.`, { prefix });
  if (now === undefined) {
    own = following(own, Math.max(own.time, Date.now()));
    return prefix + textOf(own);
  }
  given = following(given, now.getTime());
  return prefix + textOf(given);
}

/** When an id was made, in milliseconds; NaN if it is not one of our ids. */
export function timeOfId(id: string): number {
  const digits = [...id.slice(-LENGTH)].map((digit) => ALPHABET.indexOf(digit));
  if (digits.length !== LENGTH || digits.includes(-1)) return Number.NaN;
  const whole = digits.reduce((sum, digit) => (sum << 5n) | BigInt(digit), 0n);
  return Number(whole >> CHANCE_BITS);
}

interface Stamp {
  readonly time: number;
  readonly chance: bigint;
}

const PREFIX = /^[a-z][a-z0-9_-]{0,31}$/;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CHANCE_BITS = 80n;
const LENGTH = 26;
const LAST_TIME = 2 ** 48 - 1;

let own: Stamp = { time: 0, chance: 0n };
let given: Stamp = own;

/** Within one millisecond ids count upwards, so they keep the order in which they were made. */
function following(last: Stamp, time: number): Stamp {
  if (!(time >= 0 && time <= LAST_TIME)) refuse(phrase`Not a valid time for an id: ${time}.`, { time });
  return { time, chance: time === last.time ? last.chance + 1n : freshChance() };
}

/** The top bit stays free, so that counting upwards never overflows. */
function freshChance(): bigint {
  return BigInt(`0x${randomBytes(10).toString('hex')}`) >> 1n;
}

function textOf({ time, chance }: Stamp): string {
  let rest = (BigInt(time) << CHANCE_BITS) | chance;
  let text = '';
  for (let index = 0; index < LENGTH; index += 1) {
    text = ALPHABET[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}

function refuse(message: string, data: Record<string, unknown>): never {
  throw new InvalidInputError('INVALID_ID', message, {
    data,
    hint: phrase`Use lower-case letters, digits, "-" and "_" as prefix, and a date between the years 1970 and 10889.`,
  });
}
