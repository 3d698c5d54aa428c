/** The tasks: what needs me, what broke, what runs, what rests, what is done. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { Command, Empty, Problem, Waits } from '../../kit/notes.tsx';
import {
  amounts,
  type Filter,
  filter,
  isPartial,
  loaded,
  loadTasks,
  sections,
  taskCount,
  unreadable,
  wantedText,
} from '../../state/tasks.ts';
import { useListKeys } from './keys.ts';
import { SearchField } from './search.tsx';
import { Section } from './section.tsx';

const FILTERS: readonly Filter[] = ['all', 'waiting', 'running', 'failed'];

export function Tasks() {
  const failure = useSignal<unknown>(null);
  useListKeys();
  const load = async () => {
    try {
      await loadTasks();
      failure.value = null;
    } catch (error) {
      failure.value = error;
    }
  };
  useEffect(() => {
    if (!loaded.peek()) void load();
    document.title = say('page.title');
  }, []);
  if (!loaded.value) {
    return (
      <main class="page tasks">
        {failure.value === null ? (
          <>
            <h1 class="seen-by-readers">{say('page.tasks')}</h1>
            <Waits lines={6} />
          </>
        ) : (
          <Problem error={failure.value} again={load} />
        )}
      </main>
    );
  }
  const shown = sections.value;
  const nothing = [...amounts.value.values()].every((amount) => amount === 0);
  return (
    <main class="page tasks">
      <header class="tasks-head">
        <h1>{headline()}</h1>
        <p class="quiet">{underline()}</p>
      </header>
      {taskCount.value > 0 && (
        <div class="tasks-tools">
          <fieldset class="chips" aria-label={say('page.filter')}>
            {FILTERS.map((one) => (
              <button
                key={one}
                type="button"
                class="chip"
                aria-pressed={filter.value === one}
                onClick={() => {
                  filter.value = one;
                }}
              >
                {say(`page.filter.${one}`)}
              </button>
            ))}
          </fieldset>
          <SearchField />
        </div>
      )}
      {unreadable.value.map((task) => (
        <div class="note bad" key={task}>
          <p>{say('page.unreadable', { task })}</p>
          <Command line="npx vibe-engine doctor --repair" />
        </div>
      ))}
      {taskCount.value === 0 && (
        <Empty
          title={say('page.no_tasks')}
          text={say('page.no_tasks.text')}
          command="npx vibe-engine exec -- <command>"
        />
      )}
      {taskCount.value > 0 && nothing && (
        <Empty title={say('page.none_such')}>
          <Button
            onPress={() => {
              wantedText.value = '';
              filter.value = 'all';
            }}
          >
            {say('page.show_all')}
          </Button>
        </Empty>
      )}
      {[...shown].map(([section, rows]) => (
        <Section key={section} section={section} rows={rows} />
      ))}
    </main>
  );
}

function headline(): string {
  if (isSearch()) return say('page.tasks');
  const count = amounts.value.get('needs') ?? 0;
  if (taskCount.value === 0 || (isPartial.value && count === 0)) return say('page.tasks');
  if (filter.value !== 'all' && filter.value !== 'waiting') return say(`page.section.${filter.value}`);
  return count === 0 ? say('page.nothing_waits') : say('page.wait_for_you', { count });
}

/** How many of those that were found wait would be taken for how many do. */
const isSearch = (): boolean => wantedText.value.trim() !== '';

function underline(): string {
  if (isSearch()) return '';
  const of = (section: 'broken' | 'running') => amounts.value.get(section) ?? 0;
  const parts = [
    isPartial.value ? say('page.reads_all') : null,
    of('broken') > 0 ? say('page.broken_are', { count: of('broken') }) : null,
    of('running') > 0 ? say('page.running_are', { count: of('running') }) : null,
  ].filter((part) => part !== null);
  return parts.join(' · ');
}
