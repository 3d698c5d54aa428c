/**
 * Glob patterns, matched in time that grows with pattern times text, for every pattern: a regular expression with many stars
 * can take forever, and ignore files come with a project, possibly from strangers.
 */
export type Glob = readonly Part[];

export type Part =
  /** One character that passes. */
  | { readonly kind: 'one'; readonly passes: (char: string) => boolean }
  /** Any number of characters but slashes, or of any characters. */
  | { readonly kind: 'many'; readonly slashes: boolean }
  /** Nothing, or anything that ends with a slash. */
  | { readonly kind: 'directories' };

/** Whether the whole text fits. */
export function matches(glob: Glob, text: string): boolean {
  const least = glob.reduce((sum, { kind }) => sum + (kind === 'one' ? 1 : 0), 0);
  if (least > text.length) return false;
  let now = new Uint8Array(glob.length + 1);
  let next = new Uint8Array(glob.length + 1);
  reach(glob, now, 0);
  for (let index = 0; index < text.length; index++) {
    const char = text[index]!;
    let any = false;
    next.fill(0);
    for (const [at, part] of glob.entries()) {
      if (!now[at]) continue;
      if (part.kind === 'one') {
        if (part.passes(char)) any = reach(glob, next, at + 1);
      } else if (part.kind === 'many') {
        if (part.slashes || char !== '/') any = reach(glob, next, at);
      } else {
        // Inside a run of directories: it may end behind each slash.
        next[at] = INSIDE;
        if (char === '/') reach(glob, next, at + 1);
        any = true;
      }
    }
    if (!any) return false;
    [now, next] = [next, now];
  }
  return now[glob.length] === 1;
}

/** Entered at its beginning, where it can be passed over as nothing; or already inside it, where it cannot. */
const INSIDE = 2;

function reach(glob: Glob, states: Uint8Array, from: number): true {
  for (let at = from; ; at++) {
    if (states[at] === 1) return true;
    const part = glob[at];
    states[at] = 1;
    if (part === undefined || part.kind === 'one') return true;
  }
}
