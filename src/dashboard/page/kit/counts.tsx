/** How many lines were added and removed. */
import { say } from '../ground/language.ts';

/** "+12 −3"; nothing where there are none, or it is not known. */
export function Counts({
  added,
  removed,
}: {
  readonly added: number | null;
  readonly removed: number | null;
}) {
  if (!added && !removed) return null;
  return (
    <span class="counts mono" title={say('page.files.lines', { added: added ?? 0, removed: removed ?? 0 })}>
      {added ? <span class="plus">+{added}</span> : null}{' '}
      {removed ? <span class="minus">−{removed}</span> : null}
    </span>
  );
}
