/** What a reader wants to see of an entry of the journal: what went in, what came out, what went wrong. Pure. */
import type { Entry } from '../shapes/types.ts';

interface EntryParts {
  readonly input: unknown;
  readonly output: unknown;
  /** Its message, and where it was thrown. */
  readonly error: { readonly message: string; readonly more: string | null } | null;
  /** Everything else that is worth a look, by its name. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Noted for ourselves, or shown elsewhere in the panel. */
const HIDDEN: readonly string[] = [
  ...['id', 'name', 'agent', 'index', 'attempt', 'ms', 'at', 'mark', 'bytes', 'in', 'ref', 'final', 'role'],
  ...['danger', 'snapshot', 'paths', 'files', 'reads', 'status', 'settled', 'changed', 'message', 'context'],
];

export function entryParts({ kind, value }: Pick<Entry, 'kind' | 'value'>): EntryParts {
  if (typeof value !== 'object' || value === null) return { ...NOTHING, output: value };
  const { input, output, result, error, content, tool, ...others } = value as Readonly<
    Record<string, unknown>
  >;
  const called = typeof tool === 'object' && tool !== null ? (tool as { input?: unknown }) : {};
  const rest = Object.entries(others).filter(
    ([name, one]) =>
      !HIDDEN.includes(name) &&
      one !== null &&
      !(Array.isArray(one) && one.length === 0) &&
      !(name === 'by' && typeof one === 'object'), // The process: `About` names those.
  );
  return {
    input: input ?? called.input ?? null,
    output: (kind === 'message' ? content : withoutHash(result ?? output)) ?? null,
    error: errorOf(error),
    rest: Object.fromEntries(rest),
  };
}

/** Of a file that was written: its files are named beside it, and a checksum tells nobody anything. */
function withoutHash(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('hash' in result) || !('path' in result))
    return result;
  const { hash: _, ...others } = result;
  return others;
}

const NOTHING: EntryParts = { input: null, output: null, error: null, rest: {} };

function errorOf(error: unknown): EntryParts['error'] {
  if (typeof error !== 'object' || error === null) return null;
  const { message, stack } = error as { message?: unknown; stack?: unknown };
  return { message: String(message ?? ''), more: typeof stack === 'string' ? stack : null };
}
