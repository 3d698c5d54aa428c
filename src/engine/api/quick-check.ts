/**
 * A quick check made from a schema, for what nearly always fits. What it accepts, the schema accepts as it is; what it does
 * not accept is for the schema to judge.
 */
import * as z from 'zod';

type QuickCheck = (value: unknown) => boolean;

/** Kinds of schema that it does not know accept nothing here. */
export function quickCheck(schema: unknown): QuickCheck {
  if (schema instanceof z.ZodUnknown) return () => true;
  if (schema instanceof z.ZodOptional) return or(undefined, quickCheck(schema.unwrap()));
  if (schema instanceof z.ZodNullable) return or(null, quickCheck(schema.unwrap()));
  if (schema instanceof z.ZodLiteral) return oneOf(schema.values);
  if (schema instanceof z.ZodEnum) return oneOf(new Set<unknown>(schema.options));
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodISODateTime) return (value) => typeof value === 'string' && TIME.test(value);
  if (schema instanceof z.ZodString && schema.format === null) return text(schema.minLength ?? 0);
  if (schema instanceof z.ZodNumber) return number(schema);
  if (schema instanceof z.ZodArray) return items(quickCheck(schema.element));
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodString) return values(schema);
  if (schema instanceof z.ZodObject) return members(schema.shape);
  if (schema instanceof z.ZodDiscriminatedUnion) return kinds(schema.def.discriminator, schema.options);
  return () => false;
}

/** As `toISOString` writes it, but for the 29th of February. */
const TIME =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

function or(other: undefined | null, check: QuickCheck): QuickCheck {
  return (value) => value === other || check(value);
}

function oneOf(values: ReadonlySet<unknown>): QuickCheck {
  return (value) => values.has(value);
}

function text(least: number): QuickCheck {
  return (value) => typeof value === 'string' && value.length >= least;
}

function number({ minValue, maxValue, isInt }: z.ZodNumber): QuickCheck {
  const [least, most] = [minValue ?? Number.NEGATIVE_INFINITY, maxValue ?? Number.POSITIVE_INFINITY];
  const isOne = isInt ? Number.isSafeInteger : Number.isFinite;
  return (value) => isOne(value) && (value as number) >= least && (value as number) <= most;
}

function items(check: QuickCheck): QuickCheck {
  return (value) => Array.isArray(value) && value.every(check);
}

/** By any name. */
function values({ keyType, valueType }: z.ZodRecord): QuickCheck {
  const [fitsKey, fits] = [quickCheck(keyType), quickCheck(valueType)];
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    return Object.entries(value).every(
      ([key, member]) => key !== '__proto__' && fitsKey(key) && fits(member),
    );
  };
}

function members(shape: Readonly<Record<string, unknown>>): QuickCheck {
  const isRequired = (key: string): boolean => !(shape[key] instanceof z.ZodOptional);
  const known = new Map(
    Object.keys(shape).map((key) => [key, { fits: quickCheck(shape[key]), counts: Number(isRequired(key)) }]),
  );
  const required = Object.keys(shape).filter(isRequired).length;
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    const object = value as Readonly<Record<string, unknown>>;
    let found = 0;
    for (const key in object) {
      const member = known.get(key);
      if (!member?.fits(object[key])) return false;
      found += member.counts;
    }
    return found === required;
  };
}

/** The member that tells kinds apart is a literal in each. */
function kinds(by: string, options: readonly unknown[]): QuickCheck {
  const checks = new Map<unknown, QuickCheck>();
  for (const option of options) {
    const literal = option instanceof z.ZodObject ? option.shape[by] : undefined;
    if (literal instanceof z.ZodLiteral) checks.set(literal.value, quickCheck(option));
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    return checks.get((value as Readonly<Record<string, unknown>>)[by])?.(value) ?? false;
  };
}
