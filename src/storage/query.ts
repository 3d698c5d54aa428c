/** Checks the arguments of reads: one rule for every back end, before anything is looked up. */
import { InvalidInputError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { DeleteBlobs, JournalRange, PageQuery } from './contract.ts';

export function assertPageQuery(query: PageQuery): void {
  assertObject(query);
  assertText('prefix', query.prefix);
  assertText('after', query.after);
  assertCount('limit', query.limit);
}

export function assertRange(range: JournalRange): void {
  assertObject(range);
  assertCount('from', range.from);
  assertCount('to', range.to);
  assertCount('limit', range.limit);
}

export function assertDeletion(options: DeleteBlobs): void {
  assertObject(options);
  const { stored_before: time } = options;
  const isTime = typeof time === 'string' && !Number.isNaN(Date.parse(time));
  if (time !== undefined && (!isTime || new Date(time).toISOString() !== time))
    refuse('stored_before', time, phrase`a time in ISO 8601, such as toISOString gives it`);
}

function assertObject(query: unknown): void {
  if (typeof query !== 'object' || query === null) refuse('query', query, phrase`an object, or nothing`);
}

function assertText(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') refuse(name, value, 'text');
}

function assertCount(name: string, value: unknown): void {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1)) return;
  refuse(name, value, phrase`a whole number from 1`);
}

function refuse(name: string, value: unknown, expected: string): never {
  throw new InvalidInputError('USAGE', phrase`${name} is not ${expected}.`, {
    data: { [name]: value, expected },
    hint: phrase`Give ${expected}, or leave ${name} out.`,
  });
}
