/** The keys of the screen that is shown. */
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

export type Bindings = Readonly<Record<string, () => void>>;

export const bindings = signal<Bindings>({});

/** For as long as the screen is shown, and with it: a key pressed right after means what is seen. */
export function useKeys(keys: Bindings): void {
  useLayoutEffect(() => {
    bindings.value = keys;
  });
  useLayoutEffect(
    () => () => {
      bindings.value = {};
    },
    [],
  );
}
