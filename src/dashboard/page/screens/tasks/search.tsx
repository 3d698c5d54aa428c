/** Finds tasks by what their name, id or sentence contains. `/` comes here from everywhere. */
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Lens } from '../../kit/icons.tsx';
import { findTasks, wantedText } from '../../state/tasks.ts';

/** So long after the last key, those that are not here are looked for, too. */
const TYPED_MS = 150;

export function SearchField() {
  const text = wantedText.value;
  useEffect(() => {
    const timer = setTimeout(() => void findTasks(text).catch(() => {}), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search">
      <span class="seen-by-readers">{say('page.find')}</span>
      <Lens />
      <input
        type="search"
        class="field"
        data-search
        value={text}
        placeholder={say('page.find')}
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          wantedText.value = currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          wantedText.value = '';
          event.currentTarget.blur();
        }}
      />
      <span class="kbd" aria-hidden="true">
        /
      </span>
    </label>
  );
}
