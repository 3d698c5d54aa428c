/**
 * The key of the server. It arrives in the fragment of the printed address and is taken out of it before anything else
 * happens; afterwards this tab keeps it, and gives it to new tabs of the same origin that ask.
 */

const NAME = 'vibe-engine-key';
const FRAGMENT = /^#(?:key=)?([A-Za-z0-9_-]{32,})$/;

/** Null where neither the address, nor this tab, nor another has one. */
export async function findKey(): Promise<string | null> {
  const given = FRAGMENT.exec(location.hash)?.[1];
  if (given) {
    history.replaceState(null, '', location.pathname);
    sessionStorage.setItem(NAME, given);
    return given;
  }
  const kept = sessionStorage.getItem(NAME) ?? (await askOtherTabs());
  if (kept) sessionStorage.setItem(NAME, kept);
  return kept;
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
}

/** Answers new tabs for as long as the page is open. */
export function shareKey(): void {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => {
    const key = sessionStorage.getItem(NAME);
    if (data === 'ask' && key) channel.postMessage({ key });
  };
  // For those who asked while this one was still loading.
  channel.postMessage({ key: sessionStorage.getItem(NAME) });
}

const PATIENCE_MS = 250;

function askOtherTabs(): Promise<string | null> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(NAME);
    let late = false;
    channel.onmessage = ({ data }) => {
      if (typeof data?.key !== 'string') return;
      channel.close();
      resolve(data.key);
      if (!late) return;
      sessionStorage.setItem(NAME, data.key);
      location.reload();
    };
    channel.postMessage('ask');
    setTimeout(() => {
      late = true;
      resolve(null);
    }, PATIENCE_MS);
  });
}
