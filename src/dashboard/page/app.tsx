/** The page: its frame, and the screen that the address names. */
import { render } from 'preact';
import { runClock } from './ground/clock.ts';
import { speak } from './ground/language.ts';
import { applyTheme } from './ground/theme.ts';
import { takeKey } from './net/api.ts';
import { Frame } from './shell/frame.tsx';
import { followKeys } from './shell/keys.ts';
import { stayLive } from './state/live.ts';
import { followRoute } from './state/route.ts';
import { loadSession } from './state/session.ts';
import { loadQuestions } from './state/tasks.ts';

async function begin(): Promise<void> {
  applyTheme();
  // The key leaves the address before the first request, and nothing is asked for before it is known.
  const taken = takeKey();
  const [hasKey] = await Promise.all([taken, speak()]);
  followRoute();
  render(<Frame />, document.getElementById('app')!);
  runClock();
  followKeys();
  if (!hasKey) return;
  stayLive();
  try {
    await loadSession();
    await loadQuestions();
  } catch {
    // The frame says that the server is gone.
  }
}

void begin();
