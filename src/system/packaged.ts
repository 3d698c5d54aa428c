/** Files that come with the package, wherever it is run from: the sources or the build. */
export const isFromSources: boolean = import.meta.url.endsWith('.ts');
const ROOT = new URL(isFromSources ? '../../' : '../', import.meta.url);

export function packaged(path: string): URL {
  return new URL(path, ROOT);
}
