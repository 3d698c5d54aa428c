/** The address of each screen, in the fragment: the server serves one page. Pure. */

export type Tab = 'steps' | 'conversation' | 'files' | 'drift' | 'about';
export const TABS: readonly Tab[] = ['steps', 'conversation', 'files', 'drift', 'about'];

export type Route =
  | { readonly screen: 'tasks' }
  | { readonly screen: 'task'; readonly task: string; readonly tab: Tab; readonly row: number | null }
  | { readonly screen: 'rewind'; readonly task: string; readonly checkpoint: string }
  | { readonly screen: 'conflict'; readonly task: string; readonly question: string }
  | { readonly screen: 'compare'; readonly a: string; readonly b: string }
  | { readonly screen: 'care' }
  | { readonly screen: 'settings' };

export function routeOf(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split('?', 2);
  const [screen, first = '', second = '', third = ''] = path.split('/').map(decoded);
  if (screen === 'task' && first !== '') {
    if (second === 'rewind' && third !== '') return { screen: 'rewind', task: first, checkpoint: third };
    if (second === 'conflict' && third !== '') return { screen: 'conflict', task: first, question: third };
    const tab = TABS.find((one) => one === second) ?? 'steps';
    const row = Number(new URLSearchParams(query).get('row') ?? Number.NaN);
    return { screen: 'task', task: first, tab, row: Number.isSafeInteger(row) && row >= 0 ? row : null };
  }
  if (screen === 'compare' && first !== '' && second !== '') return { screen, a: first, b: second };
  if (screen === 'care' || screen === 'settings') return { screen };
  return { screen: 'tasks' };
}

export function addressOf(route: Route): string {
  switch (route.screen) {
    case 'tasks':
      return '#/';
    case 'task': {
      const tab = route.tab === 'steps' ? '' : `/${route.tab}`;
      return `#/task/${encoded(route.task)}${tab}${route.row === null ? '' : `?row=${route.row}`}`;
    }
    case 'rewind':
      return `#/task/${encoded(route.task)}/rewind/${encoded(route.checkpoint)}`;
    case 'conflict':
      return `#/task/${encoded(route.task)}/conflict/${encoded(route.question)}`;
    case 'compare':
      return `#/compare/${encoded(route.a)}/${encoded(route.b)}`;
    case 'care':
    case 'settings':
      return `#/${route.screen}`;
  }
}

/** The address of a task. */
export const taskAddress = (task: string, tab: Tab = 'steps'): string =>
  addressOf({ screen: 'task', task, tab, row: null });

const encoded = (part: string): string => encodeURIComponent(part);

/** A broken escape is not worth an exception. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
