/**
 * Opens the user's browser on an address that nobody else may learn. Others on the machine can read the arguments of a program:
 * the browser is given a file that only this user can read, and which leads on to the address.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { placeFileUnsynced, removeTree } from '../files.ts';
import { platform } from '../platform.ts';
import { withoutKeys } from '../process/environment.ts';
import { makeTempDir } from './temp.ts';

/** Returns what removes the file. Opens nothing where there is no browser, as in a remote session. */
export async function openAddress(
  address: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<() => void> {
  const opener = openerOf(env);
  if (opener === null) return () => {};
  const dir = makeTempDir('ui');
  const file = join(dir, 'open.html');
  placeFileUnsynced(file, Buffer.from(leadingTo(address)));
  let there = true;
  const forget = (): void => {
    if (there) removeTree(dir);
    there = false;
  };
  if (!(await started([...opener, file], env))) forget();
  return forget;
}

function leadingTo(address: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}">\n`;
}

function started([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const child = spawn(program, args, {
    env: withoutKeys(env),
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function openerOf({ BROWSER, DISPLAY, WAYLAND_DISPLAY, CI }: NodeJS.ProcessEnv): readonly string[] | null {
  if (BROWSER) return [BROWSER];
  if (CI) return null;
  if (platform.windows) return ['rundll32', 'url.dll,FileProtocolHandler'];
  if (platform.name === 'darwin') return ['open'];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : null;
}
