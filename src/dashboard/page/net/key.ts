/**
 * The key of the server. It arrives in the fragment of the printed address and is taken out of it before anything else
 * happens; afterwards this tab keeps it, and gives it to other tabs of the same origin that ask.
 */

const NAME = 'vibe-engine-key';
const REFUSED = 'vibe-engine-refused-key';
const FRAGMENT = /^#(?:key=)?([A-Za-z0-9_-]{32,})$/;

/** Null where neither the address, nor this tab, nor another has one. */
export async function findKey(): Promise<string | null> {
  const given = takeFromAddress('');
  if (given !== null) return given;
  const kept = sessionStorage.getItem(NAME) ?? (await askOtherTabs());
  if (kept) sessionStorage.setItem(NAME, kept);
  return kept;
}

/** The key in the address, which then is `instead`; null where it has none. */
function takeFromAddress(instead: string): string | null {
  const given = FRAGMENT.exec(location.hash)?.[1] ?? null;
  if (given === null) return null;
  history.replaceState(null, '', location.pathname + instead);
  sessionStorage.setItem(NAME, given);
  return given;
}

/** The server refused it: another tab may have a newer one. */
export function forgetKey(): void {
  sessionStorage.setItem(REFUSED, sessionStorage.getItem(NAME) ?? '');
  sessionStorage.removeItem(NAME);
  new BroadcastChannel(NAME).postMessage('ask');
}

/**
 * An address with a key that is pasted into an open page only changes its fragment. A key that is not the one in use begins the
 * page again, with the screen that was open.
 */
export function followKey(inUse: () => string | null): void {
  addEventListener('hashchange', ({ oldURL }) => {
    const given = takeFromAddress(new URL(oldURL).hash);
    if (given !== null && given !== inUse()) location.reload();
  });
}

/** Answers other tabs for as long as the page is open, and takes their key while it has none that works. */
export function shareKey(wantsOne: () => boolean): void {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => {
    const key = sessionStorage.getItem(NAME);
    if (data === 'ask' && key) channel.postMessage({ key });
    if (!isNew(data?.key) || data.key === key || !wantsOne()) return;
    sessionStorage.setItem(NAME, data.key);
    location.reload();
  };
  // For those who asked while this one was still loading, and those whose key is old.
  const own = sessionStorage.getItem(NAME);
  if (own) channel.postMessage({ key: own });
}

/** One that the server has refused is offered again by every tab that does not know that yet. */
const isNew = (key: unknown): key is string =>
  typeof key === 'string' && key !== sessionStorage.getItem(REFUSED);

const PATIENCE_MS = 250;

function askOtherTabs(): Promise<string | null> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(NAME);
    const end = (key: string | null) => {
      channel.close();
      resolve(key);
    };
    channel.onmessage = ({ data }) => {
      if (isNew(data?.key)) end(data.key);
    };
    channel.postMessage('ask');
    setTimeout(() => end(null), PATIENCE_MS);
  });
}
