/** Who uses this machine, for records that say by whom something was done. */
import { hostname, userInfo } from 'node:os';

/** `name@host`; a user without an entry of its own has a number for a name. */
export function userHere(): string {
  return `${nameHere()}@${hostname()}`;
}

function nameHere(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
