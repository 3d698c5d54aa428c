/** A choice that this browser keeps. One that forbids storage forgets it with the tab. */

interface BrowserSetting {
  get(): string | null;
  set(value: string): void;
}

export function browserSetting(name: string): BrowserSetting {
  const key = `vibe-engine-${name}`;
  return {
    get() {
      try {
        return localStorage.getItem(key);
      } catch {
        return null; // As if it was never set.
      }
    },
    set(value) {
      try {
        localStorage.setItem(key, value);
      } catch {
        // The choice holds until the tab is closed.
      }
    },
  };
}
