/** The kinds of settings there are, each with what is expected of a value. */
import { z } from 'zod';
import { phrase } from '../phrase.ts';

const PRIORITIES = ['off', 'normal', 'high', 'critical'] as const;

/** What a leaf of the schema says about itself beyond its description. */
export interface LeafMeta {
  /** What a value must be, in words that continue "expected …". */
  readonly expects: string;
  readonly secret?: true;
  /** Written only to the user's own file. */
  readonly personal?: true;
}

export function meta<T extends z.ZodType>(schema: T, expects: string): T {
  return schema.meta({ expects } satisfies LeafMeta);
}

export function text() {
  return meta(z.string().min(1), phrase`text`);
}
export function above(limit: number) {
  return meta(z.number().gt(limit), phrase`a number above ${limit}`);
}
export function atLeast(limit: number) {
  return meta(z.number().gte(limit), phrase`a number from ${limit} up`);
}
export function between(low: number, high: number) {
  return meta(z.number().gte(low).lte(high), phrase`a number from ${low} to ${high}`);
}
export function whole(low: number, high: number = Number.MAX_SAFE_INTEGER) {
  const isOpen = high === Number.MAX_SAFE_INTEGER;
  const expects = isOpen
    ? phrase`a whole number from ${low} up`
    : phrase`a whole number from ${low} to ${high}`;
  return meta(z.int().gte(low).lte(high), expects);
}
export function timeOfDay() {
  return meta(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/), phrase`a time of day such as "03:00"`);
}
export function schemaName() {
  const expects = phrase`lower-case letters, digits and "_", at most 63, not beginning with a digit`;
  return meta(z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/), expects);
}
export function patterns() {
  return meta(z.array(z.string().min(1)), phrase`a list of patterns as in .gitignore`).default([]);
}
export function flag(value: boolean) {
  return z.boolean().default(value);
}
export function priority(value: (typeof PRIORITIES)[number]) {
  return z.enum(PRIORITIES).default(value);
}
export function secret<T extends z.ZodType>(schema: T): T {
  return schema.meta({ secret: true });
}
export function personal<T extends z.ZodType>(schema: T): T {
  return schema.meta({ personal: true });
}
