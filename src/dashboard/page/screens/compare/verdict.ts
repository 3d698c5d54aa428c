/** What the recorded results of a task's checks say. They are the task's own: only what is plain in them is summed up. Pure. */
type Verdict =
  | { readonly kind: 'passed' | 'failed' }
  | { readonly kind: 'some'; readonly passed: number; readonly total: number }
  /** Shown as they are. */
  | { readonly kind: 'told'; readonly text: string };

/** Null where nothing was checked. */
export function verdictOf(verified: unknown): Verdict | null {
  if (verified === null || verified === undefined) return null;
  if (typeof verified === 'boolean') return { kind: verified ? 'passed' : 'failed' };
  if (typeof verified !== 'object') return { kind: 'told', text: String(verified) };
  const values = Object.values(verified);
  const isPlain = values.length > 0 && values.every((value) => typeof value === 'boolean');
  if (!isPlain) return { kind: 'told', text: JSON.stringify(verified) };
  const passed = values.filter(Boolean).length;
  if (values.length === 1) return { kind: passed === 1 ? 'passed' : 'failed' };
  return { kind: 'some', passed, total: values.length };
}
