/** A part of the page that scrolls: keys have to reach it, and readers have to know what it is. */
import type { ComponentChildren, RefObject } from 'preact';

interface ScrollsProps {
  readonly label: string;
  readonly class: string;
  readonly of?: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
  onScroll?(): void;
}

export function Scrolls({ label, class: name, of, children, onScroll }: ScrollsProps) {
  return (
    <section
      class={name}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise it could be scrolled by a pointer only.
      tabIndex={0}
      {...(of && { ref: of })}
      {...(onScroll && { onScroll })}
    >
      {children}
    </section>
  );
}
