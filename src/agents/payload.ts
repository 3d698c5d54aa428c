/** Reads members of a client's payload, which may be anything. */
import { jsonIn } from '../system/json.ts';
import type { Payload } from './client.ts';

/** Undefined where it is missing or empty. */
export function textOf(payload: Payload, name: string): string | undefined {
  const value = payload[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A value that may have come as JSON text. */
export function dataOf(payload: Payload, name: string): unknown {
  const value = payload[name];
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value ?? null;
  return jsonIn(value) ?? value; // It may be text that looks like JSON.
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** Text as it is, anything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
