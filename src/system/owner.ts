/** Whose a file is. */
import type { Stats } from 'node:fs';

/** Whether it is somebody else's; nobody's else on Windows, which tells no owner. Behind sudo the one who called it is meant, too. */
export function isOthers({ uid }: Pick<Stats, 'uid'>, env: Environment = process.env, me = myId()): boolean {
  if (me === undefined || uid === me) return false;
  return !(me === 0 && env.SUDO_UID !== undefined && Number(env.SUDO_UID) === uid);
}

type Environment = Readonly<Record<string, string | undefined>>;

const myId = (): number | undefined => process.getuid?.();
