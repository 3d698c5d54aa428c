/** A line that can be opened; what is in it is drawn once it is. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Counts } from './counts.tsx';
import { Chevron } from './icons.tsx';

export function Details({
  title,
  count = null,
  open: opened = false,
  children,
}: {
  readonly open?: boolean;
  readonly title: ComponentChildren;
  readonly count?: { readonly added: number; readonly removed: number } | null;
  readonly children: ComponentChildren;
}) {
  const open = useSignal(opened);
  const id = useId();
  return (
    <div class="details">
      <button
        type="button"
        class="details-head"
        aria-expanded={open.value}
        aria-controls={id}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <span class="details-arrow">
          <Chevron />
        </span>
        <span class="details-title">{title}</span>
        {count && <Counts {...count} />}
      </button>
      <div id={id} hidden={!open.value}>
        {open.value && children}
      </div>
    </div>
  );
}
