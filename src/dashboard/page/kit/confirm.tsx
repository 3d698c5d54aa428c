/** Asked before something happens: what it does stands on the button. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { say } from '../ground/language.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { attempt } from './toast.tsx';

interface Asked {
  readonly title: string;
  readonly body: ComponentChildren;
  /** What the button says; without it there is nothing to decide. */
  readonly does?: string;
  run?(): Promise<unknown>;
}

const asked = signal<Asked | null>(null);

export function confirm(question: Asked): void {
  asked.value = question;
}

/** Drawn once, by the page. */
export function Confirm() {
  const question = asked.value;
  if (question === null) return null;
  const { run } = question;
  const close = () => {
    asked.value = null;
  };
  return (
    <Dialog title={question.title} onClose={close}>
      {question.body}
      <div class="actions">
        <Button onPress={close}>{say(run ? 'page.cancel' : 'page.close')}</Button>
        {run && (
          <Button
            kind="main"
            autofocus
            onPress={async () => {
              if (await attempt(run)) close();
            }}
          >
            {question.does}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** A bar that stays in view at the end of a screen: what will happen on the left, the decision on the right. */
export function ConfirmBar({
  children,
  actions,
}: {
  readonly children: ComponentChildren;
  readonly actions: ComponentChildren;
}) {
  return (
    <div class="confirm-bar">
      <p>{children}</p>
      <div class="actions">{actions}</div>
    </div>
  );
}
