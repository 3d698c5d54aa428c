/** Resuming a task runs code: the question before it names what will run, and where it comes from. */
import { say } from '../ground/language.ts';
import { confirm } from '../kit/confirm.tsx';
import { Command } from '../kit/notes.tsx';
import { Text } from '../kit/text.tsx';
import { toast, toastError } from '../kit/toast.tsx';
import { plainOf } from '../lib/shown.ts';
import { call } from '../net/api.ts';
import type { TaskRow } from '../shapes/types.ts';

interface WouldRun {
  readonly runs: {
    readonly what: string;
    readonly kind: string;
    readonly dir: string;
    readonly imported: boolean;
  } | null;
  /** Of an agent in its own program. */
  readonly conversation: {
    readonly title: string;
    readonly line: string;
    readonly cwd: string;
    /** It needs no person at its screen. */
    readonly headless: boolean;
  } | null;
}

/** A step to begin at, by its id and its name. */
interface From {
  readonly id: string;
  readonly name: string;
}

export async function resume(row: TaskRow, verb: 'resume' | 'retry' = 'resume', from?: From): Promise<void> {
  let found: WouldRun;
  try {
    found = await call<WouldRun>('resume', { task: row.id }, { 'dry-run': true });
  } catch (error) {
    toastError(error);
    return;
  }
  const { runs, conversation } = found;
  const name = plainOf(row.name);
  const title = from
    ? say('page.retry_from.title', { step: plainOf(from.name) })
    : say(`page.${verb}.title`, { name });
  if (conversation && !conversation.headless) {
    confirm({ title, body: <AtTerminal {...conversation} /> });
    return;
  }
  confirm({
    title,
    does: say(`page.${verb}`),
    body: <WhatRuns {...found} from={from} />,
    async run() {
      const options = {
        ...(runs === null ? {} : { 'agree-to': runs.what }),
        ...(from === undefined ? {} : { 'from-step': from.id, 'take-back': true }),
      };
      await call(verb, { task: row.id }, options);
      toast(say('page.resumed', { name }));
    },
  });
}

/** An agent's own program talks to a person: it cannot be started from here. */
function AtTerminal({ title, line, cwd }: NonNullable<WouldRun['conversation']>) {
  return (
    <div class="what-runs">
      <p>{say('page.resume.at_terminal', { title })}</p>
      <Command line={line} />
      <p class="quiet">{say('page.resume.in', { directory: plainOf(cwd) })}</p>
    </div>
  );
}

function WhatRuns({ runs, conversation, from }: WouldRun & { readonly from: From | undefined }) {
  const what = runs?.what ?? conversation?.line;
  const dir = runs?.dir ?? conversation?.cwd;
  const done = runs?.kind === 'command' ? 'page.resume.command' : 'page.resume.recorded';
  return (
    <div class="what-runs">
      <p>{say(what === undefined ? 'page.resume.runs_unknown' : 'page.resume.runs')}</p>
      {what !== undefined && (
        <pre class="value">
          <Text of={what} />
        </pre>
      )}
      {dir !== undefined && <p class="quiet">{say('page.resume.in', { directory: plainOf(dir) })}</p>}
      {runs?.imported && <p class="imported">{say('page.resume.imported')}</p>}
      <p class="quiet">{say(from ? 'page.retry_from.text' : done)}</p>
    </div>
  );
}
