/** Which version of a tool is installed, by asking the tool itself. */
import { spawn } from 'node:child_process';

/** Null when there is no such tool, or it does not say. Found ones are remembered; a missing one may be installed yet. */
export async function toolVersion(name: string): Promise<string | null> {
  // The task runs in this very process, whatever `node` the PATH leads to.
  if (name === 'node') return process.versions.node;
  // A name comes from a stored record: only what PATH leads to is ever started, never a path, never an option.
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/.test(name)) return null;
  const place = `${process.env.PATH}\0${name}`;
  const known = versions.get(place);
  if (known !== undefined) return known;
  const version = versionIn(await ask(name, ARGUMENTS[name] ?? ['--version']));
  if (version !== null) versions.set(place, version);
  return version;
}

/** The first number with a dot in what a tool prints about itself, or else the first number. */
export function versionIn(text: string): string | null {
  const match = /\d+(?:\.\d+)+(?:-(?:alpha|beta|rc|pre|dev|nightly|canary|next)[0-9A-Za-z.-]*)?/i.exec(text);
  return match?.[0] ?? /\d+/.exec(text)?.[0] ?? null;
}

const versions = new Map<string, string>();
const TIME_LIMIT = 5_000;
const MOST_TEXT = 64 * 1024;
/** Those that do not know `--version`. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  go: ['version'],
  openssl: ['version'],
  ssh: ['-V'],
};

/** What it prints, on whichever output; empty when it cannot be started, fails or takes too long. */
function ask(name: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    // Not only killed but left alone: a process it started itself could hold its outputs open.
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
      resolve('');
    }, TIME_LIMIT);
    const end = (answer: string) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const take = (part: string) => {
      if (text.length < MOST_TEXT) text += part;
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.once('error', () => end(''));
    child.once('close', (code) => end(code === 0 ? text : ''));
  });
}
