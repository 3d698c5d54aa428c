/** Whose a file is. */
import type { Stats } from 'node:fs';
import { readIfExists } from './files.ts';
import * as io from './io.ts';

/** Whether it is somebody else's; nobody's else on Windows, which tells no owner. Behind sudo the one who called it is meant, too. */
export function isOthers({ uid }: Pick<Stats, 'uid'>, env: Environment = process.env, me = myId()): boolean {
  if (me === undefined || uid === me) return false;
  return !(me === 0 && env.SUDO_UID !== undefined && Number(env.SUDO_UID) === uid);
}

type Environment = Readonly<Record<string, string | undefined>>;

const myId = (): number | undefined => process.getuid?.();

/** The name of somebody else whose this is, or a number where there is none; null where it is nobody else's. */
export function otherOwnerOf(path: string): string | null {
  const found = io.lstat(path);
  return found && isOthers(found) ? nameOf(found.uid) : null;
}

function nameOf(uid: number): string {
  const known = readIfExists('/etc/passwd', MOST_BYTES)?.toString().split('\n') ?? [];
  return known.map((line) => line.split(':')).find(([, , id]) => id === String(uid))?.[0] ?? String(uid);
}
const MOST_BYTES = 1024 * 1024;
