/** How a row of the journal holds its hash: in 43 characters. Rows that an older version wrote have it in hex, in 64. */

const SHORT = 43;

export function shortHash(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

/** What is neither form is damaged, and equals no hash. In a damaged database it need not be text. */
export function hexHash(stored: unknown): string {
  if (typeof stored !== 'string') return '';
  if (stored.length !== SHORT) return stored;
  return bytes.toString('hex', 0, bytes.write(stored, 'base64url'));
}

/** Of one hash at a time: a journal has many. */
const bytes = Buffer.alloc(32);
