/** A service on this machine for this user alone: HTTP over a socket in a private directory. */
import { createServer, request } from 'node:http';
import { dirname } from 'node:path';
import { phrase } from '../../phrase.ts';
import { ensureDir, removeIfExists } from '../files.ts';
import { lstat } from '../io.ts';
import { isOthers } from '../owner.ts';
import { platform } from '../platform.ts';

export interface LocalService {
  close(): Promise<void>;
}

/** Far above any event of a client. */
const LARGEST_BODY = 64 * 1024 * 1024;

/** Null where another process answers there already, or the directory is not private. */
export async function serveAt(
  path: string,
  answer: (body: unknown) => Promise<unknown>,
): Promise<LocalService | null> {
  if (!platform.windows && !isPrivate(dirname(path))) return null;
  if (!(await isFree(path))) return null;
  const hung = `${path}.hung`; // A note of those who gave up waiting.
  const isAwake = (): void => {
    if (!platform.windows) removeIfExists(hung);
  };
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > LARGEST_BODY) incoming.destroy();
      else parts.push(part);
    });
    incoming.on('end', () => {
      Promise.resolve()
        .then(() => answer(JSON.parse(Buffer.concat(parts).toString('utf8'))))
        .then(
          (said) => outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(said)),
          () => outgoing.writeHead(400).end(), // Not 500, which a caller may take for a reason to ask once more.
        )
        .then(isAwake);
    });
  });
  server.keepAliveTimeout = 1;
  const listening = Promise.withResolvers<boolean>();
  server.once('error', () => listening.resolve(false)); // Another one was faster.
  const usual = process.umask(0o177); // The socket is made at once.
  server.listen(path, () => listening.resolve(true));
  process.umask(usual);
  if (!(await listening.promise)) return null;
  server.unref();
  isAwake();
  return {
    close: () =>
      new Promise((resolve) => {
        isAwake();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Null where nobody is there, who has heard nothing then. Otherwise it may take as long as it likes. */
export async function askIfThere(path: string, body: unknown): Promise<unknown> {
  if (!platform.windows && !isPrivate(dirname(path))) return null;
  try {
    return await askAt(path, body);
  } catch (error) {
    if (isNobody(error)) return null;
    throw error;
  }
}

function isNobody(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || code === 'ENOENT';
}

/** Rejects where nobody answers. */
export function askAt(path: string, body: unknown, limit_ms = 0): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath: path, method: 'POST', path: '/hook', timeout: limit_ms }, (said) => {
      const parts: Buffer[] = [];
      said.on('data', (part: Buffer) => parts.push(part));
      said.on('error', reject);
      said.on('end', () => {
        if (said.statusCode !== 200) reject(new Error(phrase`It answered with ${said.statusCode}.`));
        else resolve(JSON.parse(Buffer.concat(parts).toString('utf8')));
      });
    });
    asking.on('error', reject);
    asking.on('timeout', () => asking.destroy(tooLate()));
    asking.end(JSON.stringify(body));
  });
}

function tooLate(): Error {
  return Object.assign(new Error(phrase`It did not answer in time.`), { code: 'ETIMEDOUT' });
}

/** Made if it is not there. One of somebody else's, or that others may enter, is not used. */
function isPrivate(dir: string): boolean {
  ensureDir(dirname(dir), 0o700);
  ensureDir(dir, 0o700);
  const there = lstat(dir);
  if (!there?.isDirectory()) return false;
  return !isOthers(there) && (there.mode & 0o077) === 0;
}

/** A socket whose process is dead is removed. */
async function isFree(path: string): Promise<boolean> {
  if (platform.windows || lstat(path) === null) return true;
  const answers = await askAt(path, {}, 1_000).then(
    () => true,
    (error: unknown) => !isNobody(error),
  );
  if (!answers) removeIfExists(path);
  return !answers;
}
