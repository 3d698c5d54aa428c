/** Which package a manifest or a lock file belongs to. */
import { posix } from 'node:path';

/** The same for all files of one package; null for any other file. */
export function packageOf(path: string): string | null {
  const name = posix.basename(path).toLowerCase();
  const family = FAMILIES.find(([, pattern]) => pattern.test(name))?.[0];
  return family === undefined ? null : `${posix.dirname(path)}:${family}`;
}

const FAMILIES: readonly (readonly [family: string, names: RegExp])[] = [
  [
    'node',
    /^(package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.jsonc?|deno\.lock)$/,
  ],
  ['rust', /^cargo\.(toml|lock)$/],
  ['go', /^go\.(mod|sum|work)$/],
  [
    'python',
    /^(pyproject\.toml|setup\.(py|cfg)|pipfile(\.lock)?|(poetry|uv|pdm)\.lock|requirements.*\.(txt|in)|environment\.ya?ml)$/,
  ],
  ['ruby', /^(gemfile(\.lock)?|.*\.gemspec)$/],
  ['php', /^composer\.(json|lock)$/],
  ['elixir', /^mix\.(exs|lock)$/],
  ['dart', /^pubspec\.(yaml|lock)$/],
  ['swift', /^package\.(swift|resolved)$/],
  ['nix', /^flake\.(nix|lock)$/],
  ['jvm', /^(pom\.xml|(build|settings)\.gradle(\.kts)?|gradle\.lockfile|libs\.versions\.toml)$/],
  ['dotnet', /^(.*\.(cs|fs|vb)proj|packages\.lock\.json|directory\.packages\.props)$/],
];
