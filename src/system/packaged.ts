/** Files that come with the package, wherever it is run from: the sources or the build. */
const ROOT = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../', import.meta.url);

export function packaged(path: string): URL {
  return new URL(path, ROOT);
}
