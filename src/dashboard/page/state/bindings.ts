/** The keys of the screen that is shown. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export type Bindings = Readonly<Record<string, () => void>>;

export const bindings = signal<Bindings>({});

/** For as long as the screen is shown. */
export function useKeys(keys: Bindings): void {
  useEffect(() => {
    bindings.value = keys;
  });
  useEffect(
    () => () => {
      bindings.value = {};
    },
    [],
  );
}
