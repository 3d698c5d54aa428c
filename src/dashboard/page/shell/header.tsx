/** The header: the project, whether the page is live, and the few things that belong to every screen. */
import { useSignal } from '@preact/signals';
import { choose, LANGUAGES, type Language, language, say } from '../ground/language.ts';
import { theme, turnTheme } from '../ground/theme.ts';
import { Button, Link } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Asks, Bars, Box, Gear, Half, Lens, Moon, Sun } from '../kit/icons.tsx';
import { Text } from '../kit/text.tsx';
import { connection } from '../net/api.ts';
import { session } from '../state/session.ts';
import { helpIsOpen } from './help.tsx';
import { find } from './keys.ts';

/** Each in its own language. */
const nameOf = (one: Language): string => new Intl.DisplayNames(one, { type: 'language' }).of(one) ?? one;

export function Header() {
  const open = useSignal(false);
  return (
    <header class="header">
      <a class="brand" href="#/">
        <Mark />
        <span class="brand-words">
          <span class="project">
            <Text of={session.value?.project ?? ''} />
          </span>
        </span>
        <span class="seen-by-readers">{say('page.tasks')}</span>
      </a>
      <Live />
      <div class="header-tools">
        <Button kind="bare" label={say('page.find')} onPress={find}>
          <Lens />
        </Button>
        <div class="wide-only">
          <LanguageField />
          <ThemeButton />
          <Link kind="bare" to="#/care" label={say('page.care')}>
            <Box />
          </Link>
          <Link kind="bare" to="#/settings" label={say('page.settings')}>
            <Gear />
          </Link>
          <Button
            kind="bare"
            label={say('page.help')}
            onPress={() => {
              helpIsOpen.value = true;
            }}
          >
            <Asks />
          </Button>
        </div>
        <div class="narrow-only">
          <Button
            kind="bare"
            label={say('page.menu')}
            onPress={() => {
              open.value = true;
            }}
          >
            <Bars />
          </Button>
        </div>
      </div>
      {open.value && (
        <Dialog
          sheet
          title={say('page.menu')}
          onClose={() => {
            open.value = false;
          }}
        >
          <div class="menu" onClickCapture={(event) => closeAfterLink(event, open)}>
            <LanguageField />
            <Button onPress={turnTheme}>{say(`page.theme.${theme.value}`)}</Button>
            <Link to="#/">{say('page.tasks')}</Link>
            <Link to="#/care">{say('page.care')}</Link>
            <Link to="#/settings">{say('page.settings')}</Link>
          </div>
        </Dialog>
      )}
    </header>
  );
}

function closeAfterLink(event: Event, open: { value: boolean }): void {
  if (event.target instanceof Element && event.target.closest('a')) open.value = false;
}

/** A small thread: a start, a checkpoint, and what waits. */
function Mark() {
  return (
    <svg class="brand-mark" viewBox="0 0 36 16" aria-hidden="true" focusable="false">
      <path d="M2 8h30" />
      <circle cx="3" cy="8" r="3" class="dot" />
      <circle cx="17" cy="8" r="3.4" class="ring" />
      <path d="M31 3.6 35.4 8 31 12.4 26.6 8Z" class="dot" />
    </svg>
  );
}

function Live() {
  const state = connection.value === 'no_key' ? 'gone' : connection.value;
  return (
    <span class={`live ${state}`} role="status">
      <svg viewBox="0 0 10 10" aria-hidden="true" focusable="false">
        {state === 'live' ? <circle cx="5" cy="5" r="4" /> : <circle cx="5" cy="5" r="3.4" class="ring" />}
      </svg>
      {say(`page.${state}`)}
    </span>
  );
}

function LanguageField() {
  return (
    <label class="language">
      <span class="seen-by-readers">{say('page.language')}</span>
      <select
        class="field"
        value={language.value}
        onChange={({ currentTarget }) => void choose(currentTarget.value as Language)}
      >
        {LANGUAGES.map((one) => (
          <option key={one} value={one} lang={one}>
            {nameOf(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

function ThemeButton() {
  const Icon = { system: Half, light: Sun, dark: Moon }[theme.value];
  return (
    <Button kind="bare" label={say(`page.theme.${theme.value}`)} onPress={turnTheme}>
      <Icon />
    </Button>
  );
}
