/** The settings as a flat list, read from the schema: used by the documentation, the variables and the checks. */
import { z } from 'zod';
import { phrase } from '../phrase.ts';
import type { LeafMeta } from './leaves.ts';
import { strictSchema } from './schema.ts';

export interface Setting {
  /** Dotted, as in "checkpoints.triggers.interval_minutes". */
  readonly key: string;
  readonly path: readonly string[];
  /** The environment variable that sets it. */
  readonly variable: string;
  readonly default: unknown;
  /** What a value must be, in words that continue "expected …". */
  readonly expects: string;
  readonly description: string;
  /** What a variable's text is read as. */
  readonly kind: 'text' | 'number' | 'boolean' | 'list';
  readonly nullable: boolean;
  /** Masked wherever it is shown. */
  readonly secret: boolean;
  /** Written only to the user's own file. */
  readonly personal: boolean;
}

export const VARIABLE_PREFIX = 'VIBE_ENGINE_';

export const SETTINGS: readonly Setting[] = leavesOf(strictSchema, []);
const BY_KEY: ReadonlyMap<string, Setting> = new Map(SETTINGS.map((setting) => [setting.key, setting]));

export function settingAt(key: string): Setting | undefined {
  return BY_KEY.get(key);
}

/** The keys allowed directly inside a section ("" is the top). */
export function keysIn(section: string): string[] {
  const prefix = section === '' ? '' : `${section}.`;
  const inside = SETTINGS.filter(({ key }) => key.startsWith(prefix));
  return [...new Set(inside.map(({ key }) => key.slice(prefix.length).split('.')[0]!))];
}

export function variableFor(path: readonly string[]): string {
  return VARIABLE_PREFIX + path.join('_').toUpperCase();
}

/** The text converted to the setting's type; unchanged where that fails, so that the schema refuses it. */
export function readText(setting: Setting, text: string): unknown {
  if (setting.nullable && text === 'null') return null;
  if (setting.kind === 'number')
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (setting.kind === 'boolean')
    return { true: true, 1: true, false: false, 0: false }[text.toLowerCase()] ?? text;
  if (setting.kind === 'list')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  return text;
}

function leavesOf(schema: z.ZodType, path: readonly string[]): Setting[] {
  const bare = schema instanceof z.ZodPrefault ? (schema.def.innerType as z.ZodType) : schema;
  if (bare instanceof z.ZodObject) {
    return Object.entries(bare.shape).flatMap(([key, inner]) => leavesOf(inner as z.ZodType, [...path, key]));
  }
  if (!(bare instanceof z.ZodDefault)) throw new TypeError(`The setting ${path.join('.')} has no default.`);
  const value = bare.def.innerType as z.ZodType;
  const nullable = value instanceof z.ZodNullable;
  const inner = nullable ? (value.def.innerType as z.ZodType) : value;
  return [
    {
      key: path.join('.'),
      path,
      variable: variableFor(path),
      default: bare.def.defaultValue,
      expects: nullable ? phrase`${expectation(inner)}, or null` : expectation(inner),
      description: bare.description ?? '',
      kind: kindOf(inner),
      nullable,
      secret: metaOf(value).secret ?? false,
      personal: metaOf(value).personal ?? false,
    },
  ];
}

function kindOf(schema: z.ZodType): Setting['kind'] {
  if (schema instanceof z.ZodArray) return 'list';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  return schema instanceof z.ZodNumber ? 'number' : 'text';
}

function expectation(schema: z.ZodType): string {
  if (schema instanceof z.ZodBoolean) return phrase`true or false`;
  if (schema instanceof z.ZodEnum)
    return phrase`one of ${schema.options.map((option) => `"${option}"`).join(', ')}`;
  return metaOf(schema).expects ?? phrase`a value`;
}

function metaOf(schema: z.ZodType): Partial<LeafMeta> {
  return (schema.meta() ?? {}) as Partial<LeafMeta>;
}
