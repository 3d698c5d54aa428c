/** The screen of the address. All but the list of tasks are loaded when they are first opened, with their text and style. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { speakOfAll } from '../ground/language.ts';
import { styleAll } from '../ground/sheet.ts';
import { Problem, Waits } from '../kit/notes.tsx';
import type { Route } from '../lib/route.ts';
import { Tasks } from '../screens/tasks/tasks.tsx';
import { route } from '../state/route.ts';

type Of<S extends Route['screen']> = ComponentType<{ at: Extract<Route, { screen: S }> }>;
type Lazy = { readonly [S in Exclude<Route['screen'], 'tasks'>]: () => Promise<Of<S>> };

const LAZY: Lazy = {
  task: async () => (await import('../screens/task/task.tsx')).Task,
  rewind: async () => (await import('../screens/rewind/rewind.tsx')).Rewind,
  conflict: async () => (await import('../screens/conflict/conflict.tsx')).Conflict,
  compare: async () => (await import('../screens/compare/compare.tsx')).Compare,
  care: async () => (await import('../screens/care/care.tsx')).Care,
  settings: async () => (await import('../screens/care/settings.tsx')).Settings,
};

const known = new Map<Route['screen'], ComponentType<{ at: Route }>>();

export function Screen() {
  const at = route.value;
  return at.screen === 'tasks' ? <Tasks /> : <Loaded key={at.screen} at={at} />;
}

function Loaded({ at }: { readonly at: Exclude<Route, { screen: 'tasks' }> }) {
  const failure = useSignal<unknown>(null);
  const ready = useSignal(known.has(at.screen));
  const load = async () => {
    try {
      const [screen] = await Promise.all([LAZY[at.screen](), speakOfAll(), styleAll()]);
      known.set(at.screen, screen as ComponentType<{ at: Route }>);
      ready.value = true;
    } catch (error) {
      failure.value = error;
    }
  };
  useEffect(() => {
    if (!ready.peek()) void load();
  }, []);
  const Found = known.get(at.screen);
  if (failure.value !== null)
    return (
      <main class="page">
        <Problem error={failure.value} again={load} />
      </main>
    );
  if (!ready.value || !Found)
    return (
      <main class="page">
        <Waits />
      </main>
    );
  return <Found at={at} />;
}
