/** How many lines were added and removed. */
import { say } from '../ground/language.ts';

/** "+12 −3"; nothing where it is not known. */
export function Counts({
  added,
  removed,
}: {
  readonly added: number | null;
  readonly removed: number | null;
}) {
  if (added === null && removed === null) return null;
  return (
    <span class="counts mono" title={say('page.files.lines', { added: added ?? 0, removed: removed ?? 0 })}>
      <span class="plus">+{added ?? 0}</span> <span class="minus">−{removed ?? 0}</span>
    </span>
  );
}
