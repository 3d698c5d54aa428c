/** Short news at the bottom of the page. What can be taken back offers it in the same words. */
import { signal } from '@preact/signals';
import { say } from '../ground/language.ts';
import { ApiError } from '../net/api.ts';
import { Button } from './button.tsx';
import { Cross } from './icons.tsx';
import { Text } from './text.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly bad: boolean;
  readonly action?: { readonly label: string; run(): unknown } | undefined;
}

const toasts = signal<readonly Toast[]>([]);
let next = 0;

const STAYS_MS = 8_000;

export function toast(
  text: string,
  options: { readonly bad?: boolean; readonly action?: Toast['action'] } = {},
): void {
  const id = next++;
  toasts.value = [...toasts.value.slice(-2), { id, text, bad: options.bad ?? false, action: options.action }];
  // What went wrong, or can be taken back, stays until it is closed.
  if (!options.bad && !options.action) setTimeout(() => close(id), STAYS_MS);
}

/** What went wrong, and what helps. */
export function toastError(error: unknown): void {
  const hint = error instanceof ApiError ? error.hint : null;
  const message = error instanceof Error ? error.message : String(error);
  toast(hint === null ? message : `${message} ${hint}`, { bad: true });
}

/** Runs it; whatever goes wrong is told. Whether it went well. */
export async function attempt(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}

function close(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, bad, action }) => (
        <div key={id} class={`toast ${bad ? 'bad' : ''}`}>
          <p>
            <Text of={text} />
          </p>
          {action && (
            <Button
              onPress={() => {
                close(id);
                return action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <Button kind="bare" label={say('page.close')} onPress={() => close(id)}>
            <Cross />
          </Button>
        </div>
      ))}
    </div>
  );
}
