/** The settings of the project: what each is, where it comes from, what it means. They are changed in a terminal. */

import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Command } from '../../kit/notes.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { Text } from '../../kit/text.tsx';
import { classes } from '../../lib/classes.ts';
import { call } from '../../net/api.ts';
import type { Setting } from '../../shapes/care.ts';

export function Settings() {
  const wanted = useSignal('');
  const id = useId();
  const loaded = useLoaded(
    async (abort) => (await call<{ settings: readonly Setting[] }>('config explain', {}, {}, abort)).settings,
    [],
  );
  useEffect(() => {
    document.title = say('page.settings');
  }, []);
  return (
    <main class="page settings">
      <ScreenHead title={say('page.settings')} to="#/" from={say('page.tasks')} />
      <p class="quiet">{say('page.settings.text')}</p>
      <Command line="npx vibe-engine config set <setting> <value>" />
      <label class="seen-by-readers" for={id}>
        {say('page.settings.find')}
      </label>
      <input
        id={id}
        class="field"
        value={wanted.value}
        placeholder={say('page.settings.find')}
        autocomplete="off"
        onInput={({ currentTarget }) => {
          wanted.value = currentTarget.value;
        }}
      />
      <Show of={loaded} lines={8}>
        {(settings) => (
          <dl class="settings-list">
            {settings.filter(fits(wanted.value)).map((setting) => (
              <SettingRow key={setting.key} setting={setting} />
            ))}
          </dl>
        )}
      </Show>
    </main>
  );
}

/** Whether a name or a meaning contains the text. */
function fits(text: string): (setting: Pick<Setting, 'key' | 'description'>) => boolean {
  const wanted = text.trim().toLowerCase();
  return ({ key, description }) => `${key} ${description}`.toLowerCase().includes(wanted);
}

const SOURCES = ['user', 'project', 'environment', 'options'] as const;

const sourceOf = (source: string): (typeof SOURCES)[number] =>
  SOURCES.find((one) => one === source) ?? 'options';

function SettingRow({ setting }: { readonly setting: Setting }) {
  const { key, value, source, from, waiting, description } = setting;
  const changed = source !== 'default';
  return (
    <div class={classes('setting', changed && 'changed')}>
      <dt>
        <code>
          <Text of={key} />
        </code>
      </dt>
      <dd>
        {value === null || value === undefined ? (
          <span class="quiet">{say('page.settings.unset')}</span>
        ) : (
          <code>
            <Text of={typeof value === 'string' ? value : JSON.stringify(value)} />
          </code>
        )}{' '}
        {changed && (
          <span class="tag" title={from ?? undefined}>
            {say(`page.settings.source.${sourceOf(source)}`)}
          </span>
        )}
        {waiting !== null && waiting !== undefined && <span class="tag">{say('page.settings.waits')}</span>}
        <p class="quiet small">
          <Text of={description} />
        </p>
      </dd>
    </div>
  );
}
