/** Files that programs write: their lines are folded until somebody wants to see them. Pure. */
const WRITTEN =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lockb?|go\.sum|composer\.lock|[^/]+\.lock)$|\.min\.(?:js|css)$|\.(?:js|css)\.map$/;

export function isFolded(path: string): boolean {
  return WRITTEN.test(path);
}

/** The file that is opened first. */
export function firstOf<T extends { readonly path: string }>(files: readonly T[]): T | null {
  return files.find(({ path }) => !isFolded(path)) ?? files[0] ?? null;
}
