/** Keys of every screen. A screen adds its own while it is shown; none changes anything without showing it first. */
import { chordOf, isTyping, TOGETHER_MS } from '../lib/keys.ts';
import { bindings } from '../state/bindings.ts';
import { go, route } from '../state/route.ts';
import { helpIsOpen } from './help.tsx';

const OWN: Readonly<Record<string, () => void>> = {
  '/': () => find(),
  'g t': () => go({ screen: 'tasks' }),
  '?': () => {
    helpIsOpen.value = true;
  },
  Escape: () => back(),
};

/** The search field, on the list of tasks. */
export function find(): void {
  if (route.peek().screen !== 'tasks') go({ screen: 'tasks' });
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('[data-search]')?.focus());
}

/** To where this screen was opened from. */
function back(): void {
  const at = route.peek();
  if (at.screen === 'tasks') return;
  if (at.screen === 'rewind' || at.screen === 'conflict')
    go({ screen: 'task', task: at.task, tab: 'steps', row: null });
  else go({ screen: 'tasks' });
}

export function followKeys(): void {
  let before: { key: string; at: number } | null = null;
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
    if (isTyping(event.target as Element | null)) return;
    const own = bindings.peek();
    const recent = before !== null && event.timeStamp - before.at < TOGETHER_MS ? before.key : null;
    const found = chordOf(event, recent, (chord) => chord in own || chord in OWN);
    before = found.before === null ? null : { key: found.before, at: event.timeStamp };
    if (found.chord === null) return;
    const run = own[found.chord] ?? OWN[found.chord];
    event.preventDefault();
    run!();
  });
}
