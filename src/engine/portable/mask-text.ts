/** Likely secrets in the text of a stored value, masked in place: the result is a stored value again. */
import { TAG } from '../../storage/serialize/limits.ts';
import { MASK, mayHaveSecret, replaceSecrets } from '../secrets/detect.ts';

interface MaskRules {
  /** Called with each secret. */
  readonly found: (secret: string) => void;
  /** The replacement of a reference to a blob; undefined if it is not one. */
  readonly reference: (reference: Json) => unknown;
  /** The new name of a blob that is only mentioned. */
  readonly address: (address: string) => string;
}

type Json = Readonly<Record<string, unknown>>;

/** The same text where there is nothing to mask and no reference to follow. */
export function maskText(text: string, rules: MaskRules): string {
  if (!mayHaveSecret(text) && !text.includes(`"${TAG}"`) && !text.includes('blob://')) return text;
  const masked = JSON.stringify(within(JSON.parse(text), '', rules));
  return masked === JSON.stringify(JSON.parse(text)) ? text : masked;
}

/** References to blobs that a stored value has, however deep. */
export function referencesIn(text: string): Json[] {
  const references: Json[] = [];
  const note = (reference: Json): unknown => references.push(reference);
  if (text.includes('"$blob"'))
    within(JSON.parse(text), '', { found: () => {}, reference: note, address: (address) => address });
  return references;
}

function within(value: unknown, name: string, rules: MaskRules): unknown {
  if (typeof value === 'string')
    return replaceSecrets(value, masking(rules), name).replace(ADDRESS, rules.address);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => within(item, name, rules));
  const instead = typeof (value as Json).$blob === 'string' ? rules.reference(value as Json) : undefined;
  if (instead !== undefined) return instead;
  const tag = (value as Json)[TAG];
  if (typeof tag === 'string') return withinTagged(value as Json, tag, name, rules);
  return members(value as Json, rules);
}

const ADDRESS = /blob:\/\/[a-z][a-z0-9_]{0,31}\/[0-9a-f]{64}/g;

function members(object: Json, rules: MaskRules): Json {
  const masked = new Map<string, unknown>();
  for (const [key, item] of Object.entries(object)) {
    let name = replaceSecrets(key, masking(rules));
    // Two secrets may look the same once they are masked.
    while (masked.has(name)) name += MASK;
    masked.set(name, within(item, key, rules));
  }
  return Object.fromEntries(masked);
}

/** Values that JSON has no form for: masked text stays valid for its kind. */
function withinTagged(value: Json, tag: string, name: string, rules: MaskRules): Json {
  const { v } = value;
  if (tag === 'map' && Array.isArray(v)) {
    const pairs = (v as [unknown, unknown][]).map(([key, item]) => [
      within(key, '', rules),
      within(item, typeof key === 'string' ? key : '', rules),
    ]);
    return { ...value, v: pairs };
  }
  if (typeof v !== 'string') return { ...members(value, rules), [TAG]: tag };
  if (AS_THEY_ARE.has(tag)) return value;
  if (tag !== 'url' && tag !== 'regexp') return { ...value, v: maskBytes(v, rules) };
  const masked = replaceSecrets(v, masking(rules), name);
  if (masked === v) return value;
  return { ...value, v: tag === 'url' ? (URL.parse(masked)?.href ?? 'masked:') : `/${MASK}/` };
}

const AS_THEY_ARE: ReadonlySet<string> = new Set(['date', 'number', 'bigint']);

/** The same number of bytes, regardless of their kind. */
function maskBytes(base64: string, { found }: MaskRules): string {
  const masked = replaceSecrets(Buffer.from(base64, 'base64').toString('latin1'), (secret) => {
    found(secret);
    return '*'.repeat(secret.length);
  });
  return Buffer.from(masked, 'latin1').toString('base64');
}

function masking({ found }: MaskRules): (secret: string) => string {
  return (secret) => {
    found(secret);
    return MASK;
  };
}
