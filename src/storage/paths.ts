/** Where a local store lies, from its settings; pure. */
import { basename, join, resolve, sep } from 'node:path';
import type { PersistenceConfig } from '../config/types.ts';

export interface PathContext {
  readonly project_dir: string;
  /** The user's home directory, for `~`. */
  readonly home: string;
  /** What the project is called; the base name of its directory by default. */
  readonly project?: string | undefined;
}

export interface StorePath {
  /** The JSON store's directory, or the SQLite database's file. */
  readonly path: string;
  /** The directory that is ours alone and keeps itself out of git; null where the user named another place. */
  readonly own_dir: string | null;
}

type Settings = Pick<PersistenceConfig, 'base_dir' | 'path'>;

export function jsonPath(settings: Settings, context: PathContext): StorePath {
  const named = namedPath(settings, context);
  if (named) return named;
  const root =
    settings.base_dir === null
      ? projectRoot(context)
      : join(sharedRoot(settings.base_dir, context), 'persistence');
  return { path: root, own_dir: root };
}

export function sqlitePath(settings: Settings, context: PathContext): StorePath {
  const named = namedPath(settings, context);
  if (named) return named;
  const root = settings.base_dir === null ? projectRoot(context) : sharedRoot(settings.base_dir, context);
  return { path: join(root, 'persistence.db'), own_dir: root };
}

/** Absolute, with `~` for the home directory; relative ones start at the project. */
export function expandPath(path: string, { project_dir, home }: PathContext): string {
  if (path === '~') return home;
  return path.startsWith('~/') || path.startsWith('~\\')
    ? resolve(home, path.slice(2))
    : resolve(project_dir, path);
}

function namedPath({ path }: Settings, context: PathContext): StorePath | null {
  if (path === null) return null;
  const named = expandPath(path, context);
  const own = projectRoot(context);
  return { path: named, own_dir: named.startsWith(own + sep) ? own : null };
}

function projectRoot({ project_dir }: PathContext): string {
  return join(resolve(project_dir), '.vibe-engine');
}

/** `{base_dir}/{project}`; the root of the file system has no base name and is called `root`. */
function sharedRoot(base_dir: string, context: PathContext): string {
  const project = context.project ?? (basename(resolve(context.project_dir)) || 'root');
  return join(expandPath(base_dir, context), project);
}
