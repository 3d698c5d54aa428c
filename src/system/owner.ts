/** The owner of a file. */
import type { Stats } from 'node:fs';
import { readIfExists } from './files.ts';
import * as io from './io.ts';

/**
 * Whether another user owns it; always false on Windows, where this is not known. Under sudo, files of the calling user are
 * not another's.
 */
export function isOthers({ uid }: Pick<Stats, 'uid'>, env: Environment = process.env, me = myId()): boolean {
  if (me === undefined || uid === me) return false;
  return !(me === 0 && env.SUDO_UID !== undefined && Number(env.SUDO_UID) === uid);
}

type Environment = Readonly<Record<string, string | undefined>>;

const myId = (): number | undefined => process.getuid?.();

/** The name of the other user who owns this, or the number if there is no name; null if it is ours. */
export function otherOwnerOf(path: string): string | null {
  const found = io.lstat(path);
  return found && isOthers(found) ? nameOf(found.uid) : null;
}

function nameOf(uid: number): string {
  const known = readIfExists('/etc/passwd', MOST_BYTES)?.toString().split('\n') ?? [];
  return known.map((line) => line.split(':')).find(([, , id]) => id === String(uid))?.[0] ?? String(uid);
}
const MOST_BYTES = 1024 * 1024;
