/** The one key that encoded text reserves. */
export const TAG = '$ve';

/** Levels of nesting that a value may have: far beyond real data, far below where recursion fails. */
export const MAX_DEPTH = 200;

/** Characters of one encoded value. What is larger belongs in blobs. */
export const MAX_TEXT: number = 128 * 1024 * 1024;

/** Digits of one BigInt, since reading them takes more than linear time. */
export const MAX_BIGINT_DIGITS = 100_000;
