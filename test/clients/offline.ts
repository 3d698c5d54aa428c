/** Runs this program once more in a network of its own that has nothing but loopback. */
import { spawnSync } from 'node:child_process';

const INSIDE = 'VIBE_CLIENTS_OFFLINE';

/** Why there can be no such network here, or undefined. */
export function whyNotOffline(): string | undefined {
  const { status, error, stderr } = unshared(['true']);
  if (status === 0) return undefined;
  return error ? `unshare cannot be run: ${error.message}` : `unshare fails: ${String(stderr).trim()}`;
}

export const isOffline = (): boolean => process.env[INSIDE] === '1';

/** Returns how it ended. */
export function againOffline(): number {
  const { status } = unshared([process.execPath, ...process.argv.slice(1)], 'inherit');
  return status ?? 1;
}

/** Without rights of its own, a user is given those of root over the new network alone. */
function unshared(command: readonly string[], stdio: 'inherit' | 'pipe' = 'pipe') {
  const user = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...command];
  return spawnSync('unshare', [...user, '--net', ...inside], {
    stdio,
    env: { ...process.env, [INSIDE]: '1' },
  });
}
