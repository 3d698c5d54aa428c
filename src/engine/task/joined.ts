/**
 * A call is told in up to three entries, and a large value is in one of them only: its input where it begins, its result where
 * that came. Who reads the step that ends it gets both.
 */
import type { Entry, EntryOf } from './entries.ts';

/** Takes the entries of a journal, oldest first, and returns each as it is to be read. */
export function createJoiner(): (entry: Entry) => Entry {
  const inputs = new Map<string, unknown>();
  const results = new Map<string, EntryOf<'result'>>();
  return (entry) => {
    switch (entry.t) {
      case 'begin':
        if (entry.tool?.call !== undefined) inputs.set(entry.id, entry.tool.input);
        return entry;
      case 'result':
        results.set(entry.id, entry);
        return entry;
      case 'step': {
        const joined = withResult(withInput(entry, inputs), results);
        inputs.delete(entry.id);
        results.delete(entry.id);
        return joined;
      }
      case 'failure':
        return withInput(entry, inputs);
      case 'skip':
        inputs.delete(entry.id);
        results.delete(entry.id);
        return entry;
      default:
        return entry;
    }
  };
}

function withInput<T extends EntryOf<'step'> | EntryOf<'failure'>>(
  entry: T,
  inputs: ReadonlyMap<string, unknown>,
): T {
  const { tool } = entry;
  if (!tool || 'input' in tool) return entry;
  return { ...entry, tool: { ...tool, input: inputs.get(entry.id) ?? null } };
}

function withResult(
  entry: EntryOf<'step'>,
  results: ReadonlyMap<string, EntryOf<'result'>>,
): EntryOf<'step'> {
  const told = 'result' in entry ? undefined : results.get(entry.id);
  return told ? { ...entry, result: told.result } : entry;
}
