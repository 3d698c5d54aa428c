/** Caring for the project: what a clean-up would free, whether the store is whole, who holds which files. */
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { CleanUp } from './clean-up.tsx';
import { Health } from './health.tsx';
import { Holders } from './holders.tsx';

export function Care() {
  useEffect(() => {
    document.title = say('page.care');
  }, []);
  return (
    <main class="page care">
      <ScreenHead title={say('page.care')} to="#/" from={say('page.tasks')} />
      <CleanUp />
      <Health />
      <Holders />
    </main>
  );
}
