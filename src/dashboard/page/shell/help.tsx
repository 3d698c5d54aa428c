/** Every key, on one page. */
import { signal } from '@preact/signals';
import { say } from '../ground/language.ts';
import { Dialog } from '../kit/dialog.tsx';

export const helpIsOpen = signal(false);

const KEYS = [
  ['/', 'find'],
  ['j k', 'rows'],
  ['Enter', 'open'],
  ['Esc', 'back'],
  ['[ ]', 'checkpoints'],
  ['d', 'diff'],
  ['r', 'rewind'],
  ['f', 'fork'],
  ['a', 'answer'],
  ['n p', 'changes'],
  ['1 2 3', 'sides'],
  ['+ - 0', 'zoom'],
  ['g t', 'tasks'],
  ['?', 'help'],
] as const;

export function Help() {
  if (!helpIsOpen.value) return null;
  return (
    <Dialog
      title={say('page.help')}
      onClose={() => {
        helpIsOpen.value = false;
      }}
    >
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{say(`page.key.${what}`)}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet small">{say('page.key.safe')}</p>
    </Dialog>
  );
}
