/** Holds the data of an answer to the shape that its verb describes: no member missing, none besides. */
import type { Shape } from '../../src/verbs/kit/shape.ts';

/** What does not fit, by its path; empty when all does. */
export function misfits(data: unknown, shape: Shape, path = 'data'): string[] {
  if (typeof shape === 'string') return fitsLeaf(data, shape) ? [] : [`${path} is no ${shape}`];
  if (Array.isArray(shape)) {
    if (!Array.isArray(data)) return [`${path} is no list`];
    return data.flatMap((one, at) => misfits(one, (shape as readonly [Shape])[0], `${path}[${at}]`));
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return [`${path} is no object`];
  const known = shape as Readonly<Record<string, Shape>>;
  const given = data as Record<string, unknown>;
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(known, key));
  return [
    ...unknown.map((key) => `${path}.${key} is not described`),
    ...Object.entries(known).flatMap(([key, inner]) =>
      Object.hasOwn(given, key)
        ? misfits(given[key], inner, `${path}.${key}`)
        : [`${path}.${key} is missing`],
    ),
  ];
}

function fitsLeaf(data: unknown, leaf: string): boolean {
  if (leaf.endsWith('|null')) return data === null || fitsLeaf(data, leaf.slice(0, -'|null'.length));
  if (leaf === 'any') return data !== undefined;
  if (leaf === 'time') return typeof data === 'string' && new Date(data).toISOString() === data;
  return typeof data === leaf;
}
