/** Tabs: arrows move between them, as readers and keyboards expect. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly id: T; readonly label: ComponentChildren }[];
  readonly chosen: T;
  onChoose(tab: T): void;
}

export function Tabs<T extends string>({ label, tabs, chosen, onChoose }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const move = (by: number, at: number) => {
    const to = (at + by + tabs.length) % tabs.length;
    onChoose(tabs[to]!.id);
    list.current!.querySelectorAll('button')[to]!.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list}>
      {tabs.map(({ id, label: text }, at) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          class="tab"
          aria-selected={id === chosen}
          aria-controls={id === chosen ? `panel-${id}` : undefined}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
          onKeyDown={({ key }) => {
            if (key === 'ArrowRight') move(1, at);
            if (key === 'ArrowLeft') move(-1, at);
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** What the chosen tab shows. */
export function Panel({ id, children }: { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div role="tabpanel" id={`panel-${id}`} aria-labelledby={`tab-${id}`}>
      {children}
    </div>
  );
}
