/** A fork from a checkpoint: a second way from there, in the same directory or in one of its own. */
import { type Signal, signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { confirm } from '../../kit/confirm.tsx';
import { toast } from '../../kit/toast.tsx';
import { forkDirectory } from '../../lib/fork-directory.ts';
import { taskAddress } from '../../lib/route.ts';
import { withShortIds } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import { mayCall, mayChange, session } from '../../state/session.ts';

interface Wanted {
  readonly name: Signal<string>;
  /** In a directory of its own. */
  readonly apart: Signal<boolean>;
  /** As typed; null as long as it follows from the name. */
  readonly directory: Signal<string | null>;
}

export function forkFrom(checkpoint: string): void {
  if (!mayChange() || !mayCall('fork')) return;
  const short = withShortIds(checkpoint);
  const wanted: Wanted = {
    name: signal(''),
    apart: signal(false),
    directory: signal<string | null>(null),
  };
  confirm({
    title: say('page.fork.title', { number: short.slice(short.lastIndexOf('-') + 1) }),
    body: <Where wanted={wanted} short={short} />,
    does: say('page.fork'),
    async run() {
      const name = wanted.name.value.trim();
      const made = await call<{ task: string; changed_since: readonly string[] }>(
        'fork',
        { checkpoint },
        {
          ...(name !== '' && { name }),
          ...(wanted.apart.value && { dir: directoryOf(wanted, short) }),
        },
      );
      const count = made.changed_since.length;
      toast(count === 0 ? say('page.forked') : say('page.fork.changed', { count }), {
        action: {
          label: say('page.open'),
          run: () => {
            location.hash = taskAddress(made.task);
          },
        },
      });
    },
  });
}

function directoryOf({ name, directory }: Wanted, short: string): string {
  return directory.value ?? forkDirectory(session.value?.project ?? '', name.value.trim() || short);
}

function Where({ wanted, short }: { readonly wanted: Wanted; readonly short: string }) {
  const { name, apart, directory } = wanted;
  const id = useId();
  return (
    <div class="fork">
      <p>{say('page.fork.text')}</p>
      <label for={`${id}-name`}>{say('page.fork.name')}</label>
      <input
        id={`${id}-name`}
        class="field"
        autocomplete="off"
        value={name.value}
        onInput={({ currentTarget }) => {
          name.value = currentTarget.value;
        }}
      />
      <fieldset class="choices">
        <legend>{say('page.fork.where')}</legend>
        {([false, true] as const).map((own) => (
          <label key={String(own)} class="choice">
            <input
              type="radio"
              name={id}
              checked={apart.value === own}
              onChange={() => {
                apart.value = own;
              }}
            />
            <span>{say(own ? 'page.fork.own' : 'page.fork.here')}</span>
          </label>
        ))}
      </fieldset>
      {apart.value && (
        <>
          <label for={`${id}-dir`}>{say('page.fork.directory')}</label>
          <input
            id={`${id}-dir`}
            class="field mono"
            autocomplete="off"
            spellcheck={false}
            value={directoryOf(wanted, short)}
            onInput={({ currentTarget }) => {
              directory.value = currentTarget.value;
            }}
          />
        </>
      )}
    </div>
  );
}
