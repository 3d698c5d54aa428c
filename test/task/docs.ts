/** The parts of docs/reference/states.md that are derived: from the table, the schemas and the comments on their types. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { STATE_DATA_SCHEMAS } from '../../src/task/data.ts';
import { isFinal, STATE_TRANSITIONS, type TaskStatus } from '../../src/task/status.ts';
import { STATUSES } from './samples.ts';

const TASK = join(import.meta.dirname, '../../src/task');

export const DERIVED: Readonly<Record<string, () => string>> = { diagram, transitions, data };

/** The page with every derived part as it should be now. */
export function withDerivedParts(page: string): string {
  return Object.entries(DERIVED).reduce((text, [name, render]) => {
    const [begin, end] = [`<!-- derived: ${name} -->`, `<!-- end of ${name} -->`];
    const [before, rest] = halves(text, begin);
    const [, after] = halves(rest, end);
    return `${before}${begin}\n\n${render()}\n\n${end}${after}`;
  }, page);
}

function diagram(): string {
  const moves = STATUSES.flatMap((from) => STATE_TRANSITIONS[from].map((to) => `  ${from} --> ${to}`));
  const ends = STATUSES.filter(isFinal).map((status) => `  ${status} --> [*]`);
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> queued', ...moves, ...ends, '```'].join('\n');
}

function transitions(): string {
  const meanings = commentsOn(readFileSync(join(TASK, 'status.ts'), 'utf8'), /: '(\w+)',/);
  const rows = STATUSES.map((status) => {
    const to = STATE_TRANSITIONS[status].map((next) => `\`${next}\``).join(', ');
    return `| \`${status}\` | ${meanings.get(status)} | ${to || 'none'} |`;
  });
  return ['| status | meaning | may go to |', '|---|---|---|', ...rows].join('\n');
}

function data(): string {
  return STATUSES.map((status) => {
    const fields = Object.entries(jsonSchema(status).properties ?? {});
    const meanings = fieldMeanings(status);
    const rows = fields.map(
      ([name, schema]) => `| \`${name}\` | ${kindOf(schema)} | ${meanings.get(name)} |`,
    );
    return [`### ${status}`, '', '| field | what | meaning |', '|---|---|---|', ...rows].join('\n');
  }).join('\n\n');
}

type Schema = z.core.JSONSchema.BaseSchema;

function jsonSchema(status: TaskStatus): Schema {
  const { $schema, ...schema } = z.toJSONSchema(STATE_DATA_SCHEMAS[status]);
  return schema;
}

function kindOf(schema: Schema | boolean): string {
  if (typeof schema === 'boolean') throw new Error('A schema that says nothing.');
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.format === 'date-time') return 'time';
  if (schema.type === 'array') return `list of ${kindOf(schema.items as Schema)}`;
  if (schema.type === 'integer') return `integer from ${schema.minimum}`;
  if (schema.type === 'object') {
    const of = STATUSES.find((status) => isSame(status, schema));
    if (of) return `the data of \`${of}\``;
    const fields = Object.entries(schema.properties ?? {}).map(
      ([name, one]) => `\`${name}\` (${kindOf(one)})`,
    );
    return `object: ${fields.join(', ')}`;
  }
  return [schema.type ?? 'anything storable']
    .flat()
    .map((type) => (type === 'string' ? 'text' : type))
    .join(' or ');
}

function isSame(status: TaskStatus, schema: Schema): boolean {
  return JSON.stringify(jsonSchema(status)) === JSON.stringify(schema);
}

function fieldMeanings(status: TaskStatus): Map<string, string> {
  const source = readFileSync(join(TASK, 'data.ts'), 'utf8');
  const name = status.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const [, body] = halves(source, `const ${name} = z.strictObject({`);
  return commentsOn(halves(body, '\n}')[0], /(\w+):/);
}

/** What the one-line comment above each named thing says. */
function commentsOn(source: string, named: RegExp): Map<string, string> {
  const pattern = new RegExp(`/\\*\\* (.+) \\*/\\n.*?${named.source}`, 'g');
  return new Map(Array.from(source.matchAll(pattern), ([, comment, name]) => [name!, comment!]));
}

function halves(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  if (at < 0) throw new Error(`No ${JSON.stringify(separator)} in the text.`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}
