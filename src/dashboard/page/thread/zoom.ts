/** How large the thread is drawn. What is in the middle stays there. */
import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { zoomKeys } from '../state/zoom.ts';

const MOST = 64;

export function useZoom(scroller: RefObject<HTMLDivElement | null>): {
  readonly zoom: Signal<number>;
  by(factor: number): void;
  fit(): void;
} {
  const zoom = useSignal(1);
  const middle = useRef(0.5);
  const by = (factor: number) => {
    const box = scroller.current!;
    middle.current = (box.scrollLeft + box.clientWidth / 2) / box.scrollWidth;
    zoom.value = Math.min(MOST, Math.max(1, zoom.value * factor));
  };
  const fit = () => {
    zoom.value = 1;
  };
  useLayoutEffect(() => {
    const box = scroller.current!;
    box.scrollLeft = middle.current * box.scrollWidth - box.clientWidth / 2;
  }, [zoom.value]);
  useLayoutEffect(() => {
    zoomKeys.value = { by, fit };
    return () => {
      zoomKeys.value = null;
    };
  }, []);
  return { zoom, by, fit };
}
