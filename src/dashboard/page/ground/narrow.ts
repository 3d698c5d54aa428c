/** Whether the page is as narrow as a phone. */
import { signal } from '@preact/signals';

const query = matchMedia('(max-width: 720px)');

export const narrow = signal(query.matches);
query.addEventListener('change', () => {
  narrow.value = query.matches;
});
