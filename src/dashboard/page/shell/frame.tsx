/** What is around every screen: the header, what the server cannot do now, news and questions. */
import { say } from '../ground/language.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Command } from '../kit/notes.tsx';
import { Toasts } from '../kit/toast.tsx';
import { connection } from '../net/api.ts';
import { session } from '../state/session.ts';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { Screen } from './screen.tsx';

export function Frame() {
  if (connection.value === 'no_key') return <NoKey />;
  return (
    <div class="frame" data-live={connection.value === 'live'}>
      <button type="button" class="skip" onClick={skip}>
        {say('page.skip')}
      </button>
      <Header />
      <Banners />
      <Screen />
      <Toasts />
      <Confirm />
      <Help />
    </div>
  );
}

/** A link would need the fragment, which belongs to the screens. */
function skip(): void {
  const main = document.querySelector('main');
  main?.setAttribute('tabindex', '-1');
  main?.focus();
}

function Banners() {
  return (
    <>
      {connection.value === 'gone' && (
        <div class="banner bad" role="alert">
          <p>
            <strong>{say('page.gone.title')}</strong> {say('page.gone.text')}
          </p>
          <Command line="npx vibe-engine ui" />
        </div>
      )}
      {connection.value === 'full' && (
        <p class="banner warn" role="alert">
          <strong>{say('page.full.title')}</strong> {say('page.full.text')}
        </p>
      )}
      {session.value?.read_only && <p class="banner">{say('page.read_only')}</p>}
      {session.value?.reveal && <p class="banner warn">{say('page.reveal')}</p>}
    </>
  );
}

function NoKey() {
  return (
    <main class="page lone">
      <svg class="lone-thread" viewBox="0 0 240 24" aria-hidden="true" focusable="false">
        <path d="M4 12H104M136 12h100" />
        <circle cx="4" cy="12" r="4" />
        <circle class="ring" cx="56" cy="12" r="5" />
        <circle class="ring" cx="184" cy="12" r="5" />
      </svg>
      <h1>{say('page.no_key')}</h1>
      <p class="quiet">{say('page.no_key.text')}</p>
      <Command line="npx vibe-engine ui" />
    </main>
  );
}
