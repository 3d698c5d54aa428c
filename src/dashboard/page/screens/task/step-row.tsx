/** One row: what it was, of whom, what came of it, and how long it took. */
import { duration } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Text } from '../../kit/text.tsx';
import { classes } from '../../lib/classes.ts';
import { briefOf, lineOf, withShortIds } from '../../lib/shown.ts';
import type { Step } from '../../shapes/types.ts';
import { Sign } from './sign.tsx';

export function StepRow({ step, many }: { readonly step: Step | undefined; readonly many: boolean }) {
  if (!step) return <div class="step" aria-hidden="true" />;
  const { kind, name, agent, attempt, why, text, ms, files, dead } = step;
  return (
    <div class={classes('step', dead && 'dead', `is-${step.status}`)}>
      <span class="step-number">{step.row + 1}</span>
      <Sign step={step} />
      <span class="step-name cut">
        <Text of={titleOf(step)} />
        {attempt > 1 && <span class="tag">×{attempt}</span>}
      </span>
      {many && (
        <span class="step-agent cut quiet">{agent !== null && <Text of={agent.replace(/^\//, '')} />}</span>
      )}
      <span class="step-text cut quiet">
        {why && !dead ? (
          <span class={`why ${why.kind}`}>{say(`page.why.${why.kind}`)}</span>
        ) : (
          text !== null && text !== name && <Text of={lineOf(wordsOf(step, text))} />
        )}
      </span>
      <span class="step-files quiet">
        {files !== null && files > (isPath(text) ? 1 : 0) && say('page.steps.files', { count: files })}
      </span>
      <span class="step-ms">{ms !== null && kind !== 'wait' && duration(ms)}</span>
    </div>
  );
}

/** Its own name; what is no step of the task is told in our words. */
export function titleOf({ kind, name, dead }: Step): string {
  if (kind === 'message') return say(`page.role.${ROLES.find((one) => one === name) ?? 'assistant'}`);
  // The path is told beside it.
  const own = name.replace(/^tool:|^files\.\w+ [\s\S]*$/, '');
  const title = OURS.has(kind) ? ourName(kind, name) : own || say(`page.kind.${kind}`);
  return dead ? say('page.steps.dead', { name: title }) : title;
}

const ROLES = ['user', 'tool', 'system'] as const;

const OURS: ReadonlySet<Step['kind']> = new Set([
  'status',
  'recovery',
  'rollback',
  'redo',
  'take',
  'fork',
  'checkpoint',
  'sleep',
  'wait',
  'answer',
  'decision',
] as const);

function ourName(kind: Step['kind'], name: string): string {
  const status = kind === 'status' ? STATUSES.find((one) => one === name) : undefined;
  return status === undefined ? say(`page.kind.${kind}`) : say(`page.status.${status}`);
}

const STATUSES = ['queued', 'in_progress', 'paused', 'waiting', 'completed', 'failed', 'cancelled'] as const;

/** Ours with short ids; a tool's as it was given. */
const wordsOf = ({ kind }: Step, text: string): string =>
  OURS.has(kind) ? withShortIds(text) : briefOf(text);

/** It says already which file. */
const isPath = (text: string | null): boolean => text !== null && /^\S*[./]\S*$/.test(text);
