/**
 * Files and directories that a command closed to everybody, even their owner. Any process of the owner may open them again:
 * we do so for as long as it takes to read them, and only for the owner.
 */
import * as io from './io.ts';

const ALL_BITS = 0o7777;
/** The mode needed to read one. */
const READ_FILE = 0o400;
const READ_DIRECTORY = 0o500;

/**
 * Opens it to its owner; returns a function that closes it again. Null if it is open, another user's, or cannot be opened
 * here.
 */
export function openClosed(path: string): (() => void) | null {
  const found = io.lstat(path);
  if (!found || found.uid !== process.geteuid?.() || !(found.isFile() || found.isDirectory())) return null;
  const mode = found.mode & ALL_BITS;
  const open = mode | (found.isDirectory() ? READ_DIRECTORY : READ_FILE);
  if (open === mode) return null;
  const file = io.openUnread(path);
  if (!file) return null;
  try {
    if (io.fstat(file).ino !== found.ino) throw io.ioError('open', path, { code: 'ENOENT' });
    io.chmodUnread(file, open);
  } catch (error) {
    io.close(file);
    if (io.errnoOf(error) === undefined) throw error;
    return null;
  }
  return () => {
    try {
      // Unless someone has changed its mode in the meantime.
      if ((io.fstat(file).mode & ALL_BITS) === open) io.chmodUnread(file, mode);
    } finally {
      io.close(file);
    }
  };
}

/** Sets the mode of the path itself, even if it may not be read; never of the target of a link. */
export function setModeAt(path: string, mode: number): void {
  const unread = io.openUnread(path);
  const file = unread ?? io.open(path, io.READ_NO_FOLLOW);
  try {
    if (unread && io.fstat(file).isSymbolicLink()) throw io.ioError('chmod', path, { code: 'ELOOP' });
    if (unread) io.chmodUnread(file, mode);
    else io.chmod(file, mode);
  } finally {
    io.close(file);
  }
}
