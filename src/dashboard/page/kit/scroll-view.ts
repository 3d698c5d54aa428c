/** Which part of an element is in view, kept up to date as it is scrolled and resized. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

interface ScrollView {
  readonly view: ReadonlySignal<{ readonly top: number; readonly height: number }>;
  /** Called when it was scrolled. */
  measure(): void;
}

export function useScrollView(
  element: RefObject<HTMLElement | null>,
  onMeasured?: (of: HTMLElement) => void,
): ScrollView {
  const view = useSignal({ top: 0, height: 600 });
  const measure = () => {
    if (element.current === null) return; // A resize may be told after it is gone.
    onMeasured?.(element.current);
    const { scrollTop: top, clientHeight: height } = element.current;
    const known = view.peek();
    if (known.top !== top || known.height !== height) view.value = { top, height };
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(element.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  return { view, measure };
}
