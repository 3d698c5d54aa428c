/** The output of a program, shortened to a limit: the beginning, the end, and how much is left out between them. */
import { StringDecoder } from 'node:string_decoder';

interface KeptOutput {
  add(part: Buffer): void;
  /** The beginning, and the end right after it. */
  bytes(): Buffer;
  /** How many bytes are missing between them. */
  leftOut(): number;
}

const MANY = 1000;

/** Half of the limit is for the beginning. */
export function keepOutput(limit: number): KeptOutput {
  const headRoom = Math.floor(limit / 2);
  const tailRoom = limit - headRoom;
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let first = 0;
  let tailBytes = 0;
  let dropped = 0;
  const overflow = (): number => Math.max(0, tailBytes - tailRoom);
  return {
    add(part) {
      const fits = part.subarray(0, headRoom - headBytes);
      if (fits.length > 0) head.push(fits);
      headBytes += fits.length;
      if (fits.length === part.length) return;
      tail.push(part.subarray(fits.length));
      tailBytes += part.length - fits.length;
      while (first < tail.length && tailBytes - tail[first]!.length >= tailRoom) {
        tailBytes -= tail[first]!.length;
        dropped += tail[first++]!.length;
      }
      // Only now and then: a program may write a byte at a time.
      if (first < MANY || first < tail.length / 2) return;
      tail = tail.slice(first);
      first = 0;
    },
    bytes: () => Buffer.concat([...head, Buffer.concat(tail.slice(first)).subarray(overflow())]),
    leftOut: () => dropped + overflow(),
  };
}

/** As text, with a line that says what is left out; no character is cut in two. */
export function keptText(bytes: Buffer, leftOut: number, limit: number): string {
  if (leftOut === 0) return bytes.toString();
  const middle = Math.floor(limit / 2);
  const head = new StringDecoder('utf8').write(bytes.subarray(0, middle));
  let start = middle;
  while (start < middle + 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return `${head}\n… ${leftOut} bytes left out …\n${bytes.subarray(start)}`;
}
