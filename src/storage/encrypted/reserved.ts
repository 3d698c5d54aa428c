/** Names that are reserved for the encrypted store itself. */
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { KEYS } from './names.ts';
import { isOwnRecord } from './own-records.ts';

export function refuseKeys(category: string, key?: string): void {
  if (category !== KEYS && (key === undefined || !isOwnRecord(category, key))) return;
  const place = key === undefined ? category : `${category}/${key}`;
  throw new InvalidInputError('INVALID_KEY', phrase`An encrypted store keeps ${place} for itself.`, {
    data: { category, key: key ?? null },
    hint: phrase`Use another name.`,
  });
}
