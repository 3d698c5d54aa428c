/** The sources as the house tests see them: files, their text without comments, and what they import. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

export interface Source {
  /** From the root of the project, with forward slashes: "src/storage/keys.ts". */
  readonly path: string;
  readonly text: string;
  /** The text without comments. */
  readonly code: string;
  /** Files of this project, by the same kind of path. */
  readonly imports: readonly string[];
  /** Those that are not imported for their types alone. */
  readonly values: readonly string[];
  /** Packages and node: modules. */
  readonly packages: readonly string[];
}

export function sourcesIn(folder: string): Source[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readSource(join(folder, name).split(sep).join('/')))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The room of a source: the first folder under src, or the file's own name where it lies in src itself. */
export function roomOf(path: string): string {
  return path.split('/')[1]!.replace(/\.tsx?$/, '');
}

/** `import … from '…'`, `export … from '…'` and `import '…'` at the start of a line, `import('…')` anywhere. */
const IMPORT = /^(?:import|export)\b(?:[^;'"`]*?\bfrom)?\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm;

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const code = withoutComments(text);
  const found = [...code.matchAll(IMPORT)].map((match) => match[1] ?? match[2]!);
  const isOwn = (specifier: string) => specifier.startsWith('.');
  const values = [...code.matchAll(IMPORT)].filter(([all]) => !/^(?:import|export) type\b/.test(all));
  const own = (specifier: string) => fromRoot(resolve(ROOT, dirname(path), specifier));
  return {
    path,
    text,
    code,
    imports: found.filter(isOwn).map(own),
    values: values
      .map((match) => match[1] ?? match[2]!)
      .filter(isOwn)
      .map(own),
    packages: found.filter((specifier) => !isOwn(specifier)),
  };
}

function fromRoot(path: string): string {
  return relative(ROOT, path).split(sep).join('/');
}

/** Blanks comments; strings, templates and regular expressions are stepped over so that none is mistaken for one. */
function withoutComments(text: string): string {
  const pattern =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=[=(,:[!&|?{};\n]\s*)\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g;
  return text.replace(pattern, (match) => (/^\/[/*]/.test(match) ? match.replace(/[^\n]/g, ' ') : match));
}
