/** Finds tasks by what their name, id or sentence contains. `/` comes here from everywhere. */
import { say } from '../../ground/language.ts';
import { Lens } from '../../kit/icons.tsx';
import { wantedText } from '../../state/tasks.ts';

export function SearchField() {
  return (
    <label class="search">
      <span class="seen-by-readers">{say('page.find')}</span>
      <Lens />
      <input
        type="search"
        class="field"
        data-search
        value={wantedText.value}
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
