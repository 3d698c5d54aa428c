// Where compiled code is kept between runs. Anyone who can write there could make us run their code, so it is a directory of
// the user's own whose parents nobody else can change, or none.
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Null if there is no safe one. */
export function cacheDirectory(env = process.env, user = process.getuid?.()) {
  try {
    const dir = join(cacheHome(env), 'vibe-engine', 'compile');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (user === undefined) return dir; // Windows: it lies in the user's profile, which is theirs alone.
    const own = lstatSync(dir);
    if (!own.isDirectory() || own.uid !== user || (own.mode & 0o077) !== 0) return null;
    const real = realpathSync(dir);
    for (let above = dirname(real); ; above = dirname(above)) {
      const { uid, mode } = lstatSync(above);
      const others = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
      if (others || (uid !== user && uid !== 0)) return null;
      if (above === dirname(above)) return real;
    }
  } catch {
    return null;
  }
}

function cacheHome(env) {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = env;
  if (process.platform === 'win32') return LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  if (XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
}
