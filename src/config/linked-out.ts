/**
 * A project's `.vibe-engine` may be a symbolic link that came with a clone or an archive: its settings and its store would
 * then be another project's, or any directory of the user's. It is followed out of the project only once the user has
 * trusted that path.
 */
import { dirname, join, resolve } from 'node:path';
import { StoreError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import * as io from '../system/io.ts';
import { isInside } from './needs-trust.ts';
import { trustIn, type Waiting } from './trust.ts';
import type { Environment } from './types.ts';

const NAME = '.vibe-engine';

/** Where the link leads, as a setting that waits for trust; null if it stays inside the project, or is trusted. */
export function linkedOut(project_dir: string, env: Environment): Waiting | null {
  const path = join(resolve(project_dir), NAME);
  if (!io.lstat(path)?.isSymbolicLink()) return null;
  const target = io.realpath(path) ?? resolve(dirname(path), io.readlink(path).toString());
  const project = io.realpath(project_dir) ?? resolve(project_dir);
  if (isInside(project, target) || trustIn(project_dir, env).isTrusted(NAME, target)) return null;
  return { key: NAME, value: target, risk: 'place' };
}

/** Throws STORE_UNSAFE if it does; nothing there is read or written. */
export function refuseLinkedOut(project_dir: string, env: Environment): void {
  const link = linkedOut(project_dir, env);
  if (!link) return;
  const [path, target] = [join(resolve(project_dir), NAME), String(link.value)];
  throw new StoreError(
    'STORE_UNSAFE',
    phrase`${path} is a link that leads out of the project, to ${target}.`,
    {
      data: { path, target },
      hint: phrase`Nothing there was read or changed. If the link is intended: vibe-engine trust. Otherwise delete it.`,
    },
  );
}
