/** The current user, for records of who did something. */
import { hostname, userInfo } from 'node:os';

/** `name@host`; the number of the user if there is no name. */
export function userHere(): string {
  return `${userName()}@${hostname()}`;
}

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // The system has no name for this user.
    return String(process.getuid?.() ?? 'unknown');
  }
}
