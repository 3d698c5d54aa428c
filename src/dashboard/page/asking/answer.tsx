/** A question of a task, and its answer, wherever it is shown. The first answer wins; who comes later is told. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { say } from '../ground/language.ts';
import { Button, Link } from '../kit/button.tsx';
import { Text } from '../kit/text.tsx';
import { attempt, toast } from '../kit/toast.tsx';
import { addressOf } from '../lib/route.ts';
import { plainOf } from '../lib/shown.ts';
import { call } from '../net/api.ts';
import type { Question, TaskRow } from '../shapes/types.ts';
import { mayCall, mayChange } from '../state/session.ts';
import { loadTasks, questions } from '../state/tasks.ts';
import { resume } from './resume.tsx';

/** What a task asks now. Waits are questions, too, where the server does not list them. */
export function questionsOf(row: TaskRow): readonly Question[] {
  const asked = questions.value.filter(({ task }) => task === row.id);
  if (asked.length > 0) return asked;
  return (row.waits ?? []).map((wait) => ({
    id: wait.id,
    task: row.id,
    short: row.short,
    name: row.name,
    kind: 'wait',
    text: wait.prompt ?? say(`page.asks.${wait.kind === 'external_api' ? 'other' : 'you'}`),
    path: null,
    options: wait.kind === 'human_approval' ? yesOrNo() : [],
    asked_at: row.updated_at,
    timeout_at: wait.timeout_at,
    by: null,
    conflict: false,
  }));
}

const yesOrNo = (): Question['options'] => [
  { value: 'yes', label: say('page.yes'), recommended: true },
  { value: 'no', label: say('page.no'), recommended: false },
];

export function Answer({ row, question }: { readonly row: TaskRow; readonly question: Question }) {
  if (!mayChange()) return null;
  const answer = (value: string, label = value) => give(row, question, { value }, label);
  const typed = (value: string) => give(row, question, { value, text: !isData(row, question) }, value);
  if (question.conflict)
    return (
      <Controls>
        <Link
          kind="main"
          hint="a"
          to={addressOf({ screen: 'conflict', task: row.id, question: question.id })}
        >
          {say('page.resolve')}
        </Link>
        {question.options.map(({ value, label }) => (
          <Button key={value} onPress={() => answer(value, labelOf(value, label))}>
            <Text of={labelOf(value, label)} />
          </Button>
        ))}
      </Controls>
    );
  if (question.options.length === 0) return <Typed onSend={typed} />;
  return (
    <Controls>
      {question.options.map(({ value, label, recommended }, at) => (
        <Button
          key={value}
          kind={recommended || (question.kind === 'wait' && at === 0) ? 'main' : 'plain'}
          onPress={() => answer(value, labelOf(value, label))}
        >
          <Text of={labelOf(value, label)} />
        </Button>
      ))}
    </Controls>
  );
}

function Controls({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="actions answer" data-answer>
      {children}
    </div>
  );
}

/** What a choice does. "abort: stop, and change nothing" begins with the word for a terminal. */
function labelOf(value: string, label: string): string {
  if (/^(?:yes|true)$/i.test(label)) return say('page.yes');
  if (/^(?:no|false)$/i.test(label)) return say('page.no');
  const does = label.startsWith(value) ? label.slice(value.length).replace(/^[:：]\s*/, '') : label;
  return does === '' ? value : does[0]!.toUpperCase() + does.slice(1);
}

/** What is asked; the file is named once. */
export function AskedText({ question: { text, path } }: { readonly question: Question }) {
  return (
    <p class="sentence">
      <Text of={text} />
      {path && !text.includes(path) && (
        <code class="path">
          <Text of={path} />
        </code>
      )}
    </p>
  );
}

function Typed({ onSend }: { onSend(value: string): Promise<boolean> }) {
  const text = useSignal('');
  const busy = useSignal(false);
  const id = useId();
  const send = async () => {
    if (busy.value || text.value.trim() === '') return;
    busy.value = true;
    if (await onSend(text.value)) text.value = '';
    busy.value = false;
  };
  return (
    <form
      class="typed"
      data-answer
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label class="seen-by-readers" for={id}>
        {say('page.your_answer')}
      </label>
      <input
        id={id}
        class="field"
        value={text.value}
        placeholder={say('page.your_answer')}
        autocomplete="off"
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <Button kind="main" onPress={send}>
        {say('page.send')}
      </Button>
    </form>
  );
}

/** What another program waits for is data; what a person is asked for is what they type. */
const isData = ({ waits }: TaskRow, { id }: Question): boolean =>
  waits?.some((wait) => wait.id === id && wait.kind === 'external_api') ?? false;

interface Given {
  readonly value: string;
  /** As it is, not as JSON. */
  readonly text?: boolean;
}

async function give(row: TaskRow, question: Question, given: Given, label: string): Promise<boolean> {
  const { id, task } = question;
  const { value, text } = given;
  return attempt(async () => {
    try {
      await call('questions answer', { task, id, value }, { text });
      const told = say('page.answered', { answer: plainOf(label) });
      if (row.holder === null && mayCall('resume'))
        toast(`${told} ${say('page.answered_kept')}`, {
          action: { label: say('page.resume'), run: () => resume(row) },
        });
      else toast(told);
    } finally {
      await loadTasks(); // Somebody else may have been faster.
    }
  });
}
