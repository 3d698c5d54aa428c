/** The steps that made a change: each leads to its row. */
import { say } from '../ground/language.ts';
import { addressOf } from '../lib/route.ts';
import type { MadeBy } from '../shapes/types.ts';
import { route } from '../state/route.ts';
import { Text } from './text.tsx';

/** Of more steps the last are named. */
const MOST = 3;

export function MadeBySteps({ steps }: { readonly steps: readonly MadeBy[] }) {
  const at = route.value;
  if (at.screen !== 'task' || steps.length === 0) return null;
  return (
    <span class="made-by">
      {steps.slice(-MOST).map(({ row, name }, place) => (
        <a key={row} href={addressOf({ screen: 'task', task: at.task, tab: 'steps', row })}>
          {place === 0 && (steps.length > MOST ? '← … ' : '← ')}
          {say('page.files.step', { number: row + 1 })} <Text of={withoutPath(name)} />
        </a>
      ))}
    </span>
  );
}

/** What it did to the file is shown below. */
function withoutPath(name: string): string {
  return name.replace(/^tool:|^files\.\w+ [\s\S]*$/g, '');
}
