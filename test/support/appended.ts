/** The values of the entries that a commit appends, however it gives them. */
import type { Commit } from '../../src/storage/contract.ts';
import { decode } from '../../src/storage/serialize.ts';

export function appended({ append }: Commit): readonly unknown[] {
  return append?.entries ?? append?.texts.map(decode) ?? [];
}
