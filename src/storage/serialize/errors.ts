/** Errors, taken apart and put together again. Classes come back only from the fixed table here. */
import { types } from 'node:util';
import * as errors from '../../errors.ts';
import { memberSegment, Refusal } from './refusal.ts';

export interface ErrorParts {
  /** The nearest class in the table; left out for Error itself. */
  readonly type?: string;
  /** Its name, where the class does not say it. */
  readonly name?: string;
  readonly message: string;
  readonly stack?: string;
  /** What the language keeps on errors without showing it: the cause, the errors of an AggregateError. */
  readonly hidden: Record<string, unknown>;
  /** The enumerable properties: of this project's errors the code, the data and the hint. */
  readonly own: Record<string, unknown>;
}

export function isError(value: object): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

export function takeApart(error: Error): ErrorParts {
  const type = nearestType(error);
  const own = Object.fromEntries(Object.keys(error).map((key) => [key, readProperty(error, key)]));
  const { name, message } = error;
  const stack = stackOf(error);
  return {
    ...(type === 'Error' ? {} : { type }),
    ...(typeof name !== 'string' || Object.hasOwn(own, 'name') || name === TYPES[type]?.prototype.name
      ? {}
      : { name }),
    message: String(message),
    ...(stack === null ? {} : { stack }),
    hidden: Object.fromEntries(
      HIDDEN.filter((key) => isHidden(error, key)).map((key) => [key, (error as HiddenFields)[key]]),
    ),
    own,
  };
}

/** It is made when it is first read, which throws where the name is no text: the error is worth keeping without it. */
function stackOf(error: Error): string | null {
  try {
    return typeof error.stack === 'string' ? error.stack : null;
  } catch {
    return null;
  }
}

/** Undefined when the parts are not those of an error. */
export function putTogether(parts: ErrorParts): Error | undefined {
  const { type: name = 'Error' } = parts;
  const type = typeof name === 'string' ? TYPES[name] : undefined;
  if (!type || !isWhole(type, parts)) return undefined;
  const error: Error = Reflect.construct(Error, [parts.message], type);
  hide(error, 'stack', parts.stack);
  if (parts.name !== undefined) hide(error, 'name', parts.name);
  for (const [key, value] of Object.entries(parts.hidden)) hide(error, key, value);
  for (const [key, value] of Object.entries(parts.own)) {
    Object.defineProperty(error, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return error;
}

type ErrorType = abstract new (...args: never[]) => Error;

const projectTypes: Record<string, unknown> = errors;
const { SuppressedError } = globalThis as { SuppressedError?: ErrorType };

const TYPES: Readonly<Record<string, ErrorType>> = Object.assign(
  Object.create(null),
  { Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError },
  SuppressedError ? { SuppressedError } : {},
  Object.fromEntries(Object.entries(projectTypes).filter(([, member]) => isProjectType(member))),
);
const NAMES = new Map<object, string>(Object.entries(TYPES).map(([name, type]) => [type.prototype, name]));

const HEAD: ReadonlySet<string> = new Set(['type', 'name', 'message', 'stack']);
const HIDDEN = ['cause', 'errors', 'error', 'suppressed'] as const;
type HiddenFields = Partial<Record<(typeof HIDDEN)[number], unknown>>;

function isProjectType(member: unknown): member is typeof errors.VibeError {
  return (
    typeof member === 'function' &&
    (member === errors.VibeError || member.prototype instanceof errors.VibeError)
  );
}

function nearestType(error: Error): string {
  for (let at: object | null = error; at !== null; at = Object.getPrototypeOf(at)) {
    const name = NAMES.get(at);
    if (name !== undefined) return name;
  }
  return 'Error';
}

function readProperty(error: Error, key: string): unknown {
  try {
    return error[key as keyof Error];
  } catch (thrown) {
    throw Refusal.within(error, memberSegment(key), thrown);
  }
}

function isHidden(error: Error, key: string): boolean {
  return Object.hasOwn(error, key) && !Object.prototype.propertyIsEnumerable.call(error, key);
}

function hide(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, enumerable: false, configurable: true });
}

function isWhole(type: ErrorType, { hidden, own, ...head }: ErrorParts): boolean {
  return (
    Object.entries(head).every(([key, value]) => HEAD.has(key) && typeof value === 'string') &&
    Object.hasOwn(head, 'message') &&
    Object.keys(hidden).every((key) => HIDDEN.some((known) => known === key)) &&
    (!isProjectType(type) ||
      (typeof own.code === 'string' && typeof own.hint === 'string' && isObject(own.data)))
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
