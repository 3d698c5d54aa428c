/** A dialog in the middle, or a sheet from below. The browser keeps the focus inside; it returns to where it was. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { say } from '../ground/language.ts';
import { Button } from './button.tsx';
import { Cross } from './icons.tsx';

interface DialogProps {
  readonly title: string;
  readonly sheet?: boolean;
  readonly children: ComponentChildren;
  onClose(): void;
}

export function Dialog({ title, sheet = false, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current!.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const onBackdrop = (event: MouseEvent) => {
    if (event.target === element.current) onClose();
  };
  return (
    <dialog
      ref={element}
      class={sheet ? 'sheet' : ''}
      aria-labelledby={heading}
      onClick={onBackdrop}
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={heading}>{title}</h2>
        <Button kind="bare" label={say('page.close')} onPress={onClose}>
          <Cross />
        </Button>
      </div>
      {children}
    </dialog>
  );
}
