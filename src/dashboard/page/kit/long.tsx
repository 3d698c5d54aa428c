/** A text of any length: its beginning, and the rest when one wants it. */
import { useSignal } from '@preact/signals';
import { say } from '../ground/language.ts';
import { classes } from '../lib/classes.ts';
import { beginningOf } from '../lib/shown.ts';
import { Button } from './button.tsx';
import { Text } from './text.tsx';

export function Long({ text, quiet = false }: { readonly text: string; readonly quiet?: boolean }) {
  const open = useSignal(false);
  const { shown, more } = beginningOf(text);
  const isCut = more > 0 && !open.value;
  return (
    <div class="long">
      <pre class={classes('value', quiet && 'quiet')}>
        <Text of={isCut ? shown : text} />
      </pre>
      {isCut && (
        <Button
          kind="bare"
          onPress={() => {
            open.value = true;
          }}
        >
          {say('page.more_lines', { count: more })}
        </Button>
      )}
    </div>
  );
}
