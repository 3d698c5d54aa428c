/** How a row of the journal holds its hash: in 43 characters. Rows that an older version wrote have it in hex, in 64. */

const SHORT = 43;

export function shortHash(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

/** What is neither form is damaged, and equals no hash. In a damaged database it need not be text. */
export function hexHash(stored: unknown): string {
  if (typeof stored !== 'string') return '';
  return stored.length === SHORT ? Buffer.from(stored, 'base64url').toString('hex') : stored;
}
