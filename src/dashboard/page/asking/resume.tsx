/** Resuming a task runs code: the question before it names what will run, and where it comes from. */
import { say } from '../ground/language.ts';
import { confirm } from '../kit/confirm.tsx';
import { Command } from '../kit/notes.tsx';
import { Text } from '../kit/text.tsx';
import { toast, toastError } from '../kit/toast.tsx';
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
  readonly conversation: { readonly line?: string; readonly command?: unknown } | null;
}

export async function resume(row: TaskRow, verb: 'resume' | 'retry' = 'resume'): Promise<void> {
  let found: WouldRun;
  try {
    found = await call<WouldRun>('resume', { task: row.id }, { 'dry-run': true });
  } catch (error) {
    toastError(error);
    return;
  }
  const { runs } = found;
  confirm({
    title: say(`page.${verb}.title`, { name: row.name }),
    does: say(`page.${verb}`),
    body: <WhatRuns {...found} />,
    async run() {
      await call(verb, { task: row.id }, runs === null ? {} : { 'agree-to': runs.what });
      toast(say('page.resumed', { name: row.name }));
    },
  });
}

function WhatRuns({ runs, conversation }: WouldRun) {
  const line = conversation?.line;
  return (
    <div class="what-runs">
      <p>{say(runs === null ? 'page.resume.runs_unknown' : 'page.resume.runs')}</p>
      {runs !== null && (
        <>
          <pre class="value">
            <Text of={runs.what} />
          </pre>
          <p class="quiet">{say('page.resume.in', { directory: runs.dir })}</p>
          {runs.imported && <p class="imported">{say('page.resume.imported')}</p>}
        </>
      )}
      {typeof line === 'string' && <Command line={line} />}
      <p class="quiet">{say('page.resume.recorded')}</p>
    </div>
  );
}
