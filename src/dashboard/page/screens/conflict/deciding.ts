/** Deciding about the places of a conflict: one by one, by keys as well, or by writing the result oneself. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { type Decided, type Decisions, openIn } from './decisions.ts';

export interface Deciding {
  readonly decisions: ReadonlySignal<Decisions>;
  /** The whole file as somebody wrote it; null as long as it follows from the decisions. */
  readonly own: ReadonlySignal<string | null>;
  readonly list: RefObject<HTMLDivElement | null>;
  /** The place that keys decide about. */
  at(number: number): void;
  decide(number: number, decision: string): void;
  write(text: string | null): void;
  /** Goes to the next place that is open. */
  next(): void;
  /** What a key does: 1, 2 and 3 decide about the place in view, n goes on. Whether it did something. */
  press(key: string): boolean;
}

/** `kinds`: what 1, 2 and 3 stand for. */
export function useDeciding(conflict: Decided | null, kinds: readonly string[]): Deciding {
  const decisions = useSignal<Decisions>(new Map());
  const own = useSignal<string | null>(null);
  const current = useSignal(1);
  const list = useRef<HTMLDivElement>(null);
  const decide = (number: number, decision: string) => {
    decisions.value = new Map([...decisions.value, [number, decision]]);
  };
  const next = () => {
    const open = openIn(conflict!, decisions.value);
    const later = open.find((number) => number > current.value) ?? open[0];
    if (later === undefined) return;
    current.value = later;
    list.current?.querySelector<HTMLElement>(`[data-place="${later}"]`)?.focus();
  };
  return {
    decisions,
    own,
    list,
    decide,
    next,
    at(number) {
      current.value = number;
    },
    write(text) {
      own.value = text;
    },
    press(key) {
      const kind = kinds[Number(key) - 1];
      if (conflict === null || own.value !== null || (key !== 'n' && kind === undefined)) return false;
      if (key === 'n') next();
      else decide(current.value, kind!);
      return true;
    },
  };
}
