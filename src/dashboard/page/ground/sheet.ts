/** The style sheet of all screens but the list of tasks. */
import { once } from '../lib/once.ts';

/** Resolves once it applies. */
export const styleAll = once(
  () =>
    new Promise((resolve, reject) => {
      const link = document.createElement('link');
      link.rel = 'stylesheet';
      link.href = '/screens.css';
      link.onload = () => resolve();
      link.onerror = () => {
        link.remove();
        reject(new Error(link.href));
      };
      document.head.append(link);
    }),
);
