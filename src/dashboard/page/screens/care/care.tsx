/** Caring for the project: what a clean-up would free, whether the store is whole, who holds which files. */
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Link } from '../../kit/button.tsx';
import { CleanUp } from './clean-up.tsx';
import { Health } from './health.tsx';
import { Holders } from './holders.tsx';

export function Care() {
  useEffect(() => {
    document.title = say('page.care');
  }, []);
  return (
    <main class="page care">
      <header class="screen-head">
        <Link kind="bare" to="#/" label={say('page.back')}>
          ← {say('page.tasks')}
        </Link>
        <h1>{say('page.care')}</h1>
      </header>
      <CleanUp />
      <Health />
      <Holders />
    </main>
  );
}
