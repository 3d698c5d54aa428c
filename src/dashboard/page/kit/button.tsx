/** Buttons. One that is busy cannot be pressed twice; one that cannot be used says why. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly kind?: 'main' | 'plain' | 'bare';
  /** The key that does the same. */
  readonly hint?: string;
  readonly label?: string;
  /** Why it cannot be used; it can where this is left out. */
  readonly whyNot?: string | null | undefined;
  readonly autofocus?: boolean;
  readonly pressed?: boolean;
  /** Busy until what it returns is done. */
  onPress(): unknown;
}

export function Button({
  children,
  kind = 'plain',
  hint,
  label,
  whyNot,
  pressed,
  autofocus,
  onPress,
}: ButtonProps) {
  const busy = useSignal(false);
  const reason = useId();
  const isRefused = typeof whyNot === 'string';
  const press = async () => {
    if (busy.value || isRefused) return;
    busy.value = true;
    try {
      await onPress();
    } finally {
      busy.value = false;
    }
  };
  const button = (
    <button
      type="button"
      class={`button ${kind} ${busy.value ? 'busy' : ''}`}
      // One with a reason can be reached: by keyboard, by a finger, by a reader.
      disabled={whyNot === ''}
      aria-disabled={isRefused || undefined}
      aria-describedby={whyNot ? reason : undefined}
      aria-label={label}
      aria-pressed={pressed}
      aria-keyshortcuts={hint}
      aria-busy={busy.value || undefined}
      autofocus={autofocus}
      onClick={press}
    >
      {children}
      {hint && <Hint of={hint} />}
    </button>
  );
  if (!whyNot) return button;
  return (
    <span class="with-reason">
      {button}
      <span class="reason" id={reason}>
        {whyNot}
      </span>
    </span>
  );
}

export function Link({
  to,
  kind = 'plain',
  hint,
  label,
  children,
}: {
  readonly to: string;
  readonly kind?: 'main' | 'plain' | 'bare';
  readonly hint?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <a class={`button ${kind}`} href={to} aria-label={label} aria-keyshortcuts={hint}>
      {children}
      {hint && <Hint of={hint} />}
    </a>
  );
}

/** The key that does the same, for those who see it; `aria-keyshortcuts` says it to the others. */
function Hint({ of }: { readonly of: string }) {
  return (
    <span class="kbd" aria-hidden="true">
      {of}
    </span>
  );
}
