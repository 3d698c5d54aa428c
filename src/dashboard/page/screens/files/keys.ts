/** The keys of the files of a task: they come before those of the screen around it. */
import { useEffect } from 'preact/hooks';
import { isTyping } from '../../lib/keys.ts';

export function useFileKeys(keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const run = keys[event.key];
      if (!run || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target as Element | null) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      event.stopPropagation();
      run();
    };
    document.addEventListener('keydown', press, true);
    return () => document.removeEventListener('keydown', press, true);
  });
}
