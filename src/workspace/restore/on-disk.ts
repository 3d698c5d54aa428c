/** Names as the file system has them, for names that cannot stand in a snapshot and are listed there in another form. */
import { LISTED_NAME } from '../tree/names.ts';

/** The path as the file system has it, in bytes where a name in it is listed. */
export function onDisk(path: string): Buffer {
  const parts = path
    .split('/')
    .map((name) => (LISTED_NAME.test(name) ? Buffer.from(name.slice(1), 'hex') : Buffer.from(name)));
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [SLASH, part])));
}
const SLASH = Buffer.from('/');

/** The readable path; a name that is not text stays as it is listed. */
export function shownPath(path: string): string {
  const bytes = onDisk(path);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : path;
}
