/** Records that the encrypted store keeps among those of a task, and hides from callers. */
export const CUTS = 'sealed-cuts';
export const REMOVED = 'sealed-removed';
const OWN: ReadonlySet<string> = new Set([CUTS, REMOVED]);

export function isOwnRecord(category: string, key: string): boolean {
  const name = category === 'tasks' ? nameRightBelow(key) : null;
  return name !== null && OWN.has(name);
}

/** What a record right below its task is called; null of those deeper down. */
export function nameRightBelow(key: string): string | null {
  const name = key.slice(key.indexOf('/') + 1);
  return name.includes('/') ? null : name;
}
