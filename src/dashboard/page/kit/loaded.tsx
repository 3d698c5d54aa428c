/** Something that the server is asked for: shown once it is there, loaded again when what it depends on has changed. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Problem, Waits } from './notes.tsx';

interface Loaded<T> {
  /** The newest there is; null until the first has come. */
  readonly value: T | null;
  readonly error: unknown;
  /** What is shown is older than what it depends on. */
  readonly stale: boolean;
  again(): Promise<void>;
}

export function useLoaded<T>(
  load: (abort: AbortSignal) => Promise<T>,
  depends: readonly unknown[],
): Loaded<T> {
  const value = useSignal<T | null>(null);
  const error = useSignal<unknown>(null);
  const stale = useSignal(true);
  const abort = useRef<AbortController | null>(null);
  const again = async () => {
    abort.current?.abort();
    const own = new AbortController();
    abort.current = own;
    stale.value = true;
    try {
      const found = await load(own.signal);
      if (own.signal.aborted) return;
      value.value = found;
      error.value = null;
    } catch (thrown) {
      if (own.signal.aborted) return;
      error.value = thrown;
    }
    stale.value = false;
  };
  useEffect(() => {
    void again();
  }, depends);
  useEffect(() => () => abort.current?.abort(), []);
  return { value: value.value, error: error.value, stale: stale.value, again };
}

/** Lines until it is there; what went wrong if it does not come. */
export function Show<T>({
  of,
  lines = 4,
  children,
}: {
  readonly of: Loaded<T>;
  readonly lines?: number;
  children(value: T): ComponentChildren;
}) {
  if (of.error !== null) return <Problem error={of.error} again={of.again} />;
  if (of.value === null) return <Waits lines={lines} />;
  return <div aria-busy={of.stale}>{children(of.value)}</div>;
}
