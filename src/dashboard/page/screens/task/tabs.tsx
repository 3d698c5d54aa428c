/** The tabs of a task. Files and drift are loaded when they are first opened. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Waits } from '../../kit/notes.tsx';
import { Panel, Tabs } from '../../kit/tabs.tsx';
import { type Route, TABS, type Tab } from '../../lib/route.ts';
import type { TaskRow } from '../../shapes/types.ts';
import { settle } from '../../state/route.ts';
import { shown } from '../../state/task.ts';
import { About } from './about.tsx';
import { chosenRow } from './choosing.ts';
import { Conversation } from './conversation.tsx';
import { Steps } from './steps.tsx';

type OfTask = ComponentType<{ task: string; from?: string }>;

const LAZY: Readonly<Partial<Record<Tab, () => Promise<OfTask>>>> = {
  files: async () => (await import('../files/files.tsx')).FilesView,
  drift: async () => (await import('../drift/drift.tsx')).DriftView,
};
const known = new Map<Tab, OfTask>();

export function TaskTabs({
  at,
  row,
}: {
  readonly at: Extract<Route, { screen: 'task' }>;
  readonly row: TaskRow;
}) {
  const changed = shown.value?.files.changed.length ?? 0;
  // `d`: what changed since the chosen row.
  const from = at.tab === 'files' && at.row !== null ? (chosenRow.value?.checkpoint ?? undefined) : undefined;
  const label = (tab: Tab) =>
    tab === 'files' && changed > 0 ? (
      <>
        {say('page.tab.files')} <span class="quiet">{changed}</span>
      </>
    ) : (
      say(`page.tab.${tab}`)
    );
  return (
    <div class="task-tabs">
      <Tabs
        label={say('page.tabs')}
        tabs={TABS.map((id) => ({ id, label: label(id) }))}
        chosen={at.tab}
        onChoose={(tab) => settle({ ...at, tab, row: null })}
      />
      <Panel id={at.tab}>
        {at.tab === 'steps' && <Steps />}
        {at.tab === 'conversation' && <Conversation task={row.id} />}
        {at.tab === 'about' && <About row={row} />}
        {LAZY[at.tab] && <Lazy key={`${at.tab}${from ?? ''}`} tab={at.tab} task={row.id} from={from} />}
      </Panel>
    </div>
  );
}

function Lazy({
  tab,
  task,
  from,
}: {
  readonly tab: Tab;
  readonly task: string;
  readonly from: string | undefined;
}) {
  const ready = useSignal(known.has(tab));
  useEffect(() => {
    if (ready.peek()) return;
    void LAZY[tab]!().then((found) => {
      known.set(tab, found);
      ready.value = true;
    });
  }, []);
  const Found = known.get(tab);
  return ready.value && Found ? <Found task={task} {...(from === undefined ? {} : { from })} /> : <Waits />;
}
