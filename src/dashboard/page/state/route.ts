/** Where the page is. */
import { signal } from '@preact/signals';
import { addressOf, type Route, routeOf } from '../lib/route.ts';

export const route = signal<Route>({ screen: 'tasks' });

export function followRoute(): void {
  const read = () => {
    // Also told of where `go` has gone.
    if (location.hash !== addressOf(route.peek())) route.value = routeOf(location.hash);
  };
  addEventListener('hashchange', read);
  read();
}

/** At once, not when the browser tells of the new address: the next key may come before. */
export function go(to: Route): void {
  location.hash = addressOf(to).slice(1);
  route.value = to;
}

/** Changes the address without a step to go back to. */
export function settle(to: Route): void {
  history.replaceState(null, '', addressOf(to));
  route.value = to;
}
