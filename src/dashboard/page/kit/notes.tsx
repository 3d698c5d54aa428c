/** What is shown where there is nothing, or something went wrong: a sentence, and the one command that helps. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { say } from '../ground/language.ts';
import { classes } from '../lib/classes.ts';
import { ApiError } from '../net/api.ts';
import { Button } from './button.tsx';
import { Copy } from './icons.tsx';
import { Text } from './text.tsx';

/** A command to type, which can be copied. */
export function Command({ line }: { readonly line: string }) {
  const copied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(line);
    copied.value = true;
    setTimeout(() => {
      copied.value = false;
    }, 2_000);
  };
  return (
    <span class="command">
      <code>
        <Text of={line} />
      </code>
      <Button kind="bare" label={say(copied.value ? 'page.copied' : 'page.copy')} onPress={copy}>
        {copied.value ? <span class="small">{say('page.copied')}</span> : <Copy />}
      </Button>
    </span>
  );
}

export function Empty({
  title,
  text,
  command,
  children,
}: {
  readonly title: string;
  readonly text?: string;
  readonly command?: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="note">
      <h2>{title}</h2>
      {text && <p class="quiet">{text}</p>}
      {command && <Command line={command} />}
      {children}
    </div>
  );
}

/** An error as the server told it. */
export function Problem({ error, again }: { readonly error: unknown; again?(): unknown }) {
  const told = error instanceof ApiError ? error : null;
  return (
    <div class="note bad" role="alert">
      <h2>{say('page.problem')}</h2>
      <p>
        <Text of={error instanceof Error ? error.message : String(error)} />
      </p>
      {told?.hint && (
        <p class="quiet">
          <Text of={told.hint} />
        </p>
      )}
      {told && <code class="quiet">{told.code}</code>}
      {again && <Button onPress={again}>{say('page.try_again')}</Button>}
    </div>
  );
}

/** Lines where text will be. */
export function Waits({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="note" role="status">
      <span class="seen-by-readers">{say('page.loading')}</span>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class={classes('waits', `wide-${at % 3}`)} />
      ))}
    </div>
  );
}
