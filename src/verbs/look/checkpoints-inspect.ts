/** `checkpoints inspect`: what a checkpoint holds, and whether its task can resume from it now. */

import type { Checkpoint, Message } from '../../checkpoint/record/record.ts';
import type { CheckpointValidation } from '../../checkpoint/validation/validate.ts';
import { shortened } from '../../system/shortened.ts';
import { parseCheckpointId } from '../../task/keys.ts';
import { table } from '../format/table.ts';
import { type Amounts, amountsOf, percentOf } from '../kit/amounts.ts';
import { type Call, verb } from '../kit/verb.ts';
import { plain } from '../shared/plain.ts';
import { hasEnded } from './next-verbs.ts';
import { triggerText } from './trigger.ts';

const NEWEST = 5;
const SHOWN_TEXT = 300;

export const checkpointsInspect = verb({
  name: 'checkpoints inspect',
  group: 'look',
  files: true,
  arguments: { checkpoint: { about: 'argument.checkpoint', of: 'checkpoint' } },
  options: { all: { about: 'checkpoints.inspect.option.all' } },
  examples: ['checkpoints inspect x7k2qf-4', 'checkpoints inspect x7k2qf-4 --json'],
  data: {
    checkpoint: 'any',
    validation: {
      valid: 'boolean',
      structural: { hasRequiredFields: 'boolean', schemaValid: 'boolean' },
      integrity: { checksumMatch: 'boolean', blobsAccessible: 'boolean', contextAvailable: 'boolean' },
      environmental: {
        workingDirectoryExists: 'boolean',
        filesUnchanged: 'boolean',
        dependenciesAvailable: 'boolean',
      },
      problems: ['string'],
    },
    can_resume: 'boolean',
    needs_answer: ['string'],
  },
  async run(call) {
    const ids = await call.ids();
    const id = await ids.checkpoint(call.args.checkpoint);
    const engine = await call.engine();
    const { checkpoints } = engine;
    const validation = (await checkpoints.validateCheckpoint(id))!;
    const { integrity, structural } = validation;
    // A damaged checkpoint is shown by its problems.
    const whole = structural.schemaValid && integrity.checksumMatch && integrity.blobsAccessible;
    const checkpoint = whole ? await checkpoints.loadCheckpoint(id) : null;
    const amounts = amountsOf(call);
    const { valid } = validation;
    const row = await engine.reader.row(parseCheckpointId(id)!.task);
    const over = row !== null && hasEnded(row);
    const flags = over ? [] : answering(validation);
    const short = ids.shortCheckpoint(id);
    const next = over ? `fork ${short}` : flags.length > 0 ? `checkpoints resume ${short}` : null;
    return {
      data: {
        checkpoint: plain(checkpoint),
        validation,
        can_resume: valid && !over,
        needs_answer: flags,
      },
      lines: [
        ...(checkpoint ? linesOf(checkpoint, short, call, amounts, call.options.all) : [short]),
        ...validationLines(validation, { over, flags, command: next && call.invoke(next) }, call),
      ],
    };
  },
});

type Style = Pick<Call, 'say' | 'translate' | 'paint' | 'width'>;

function linesOf(
  checkpoint: Checkpoint,
  short: string,
  { say, paint, width }: Style,
  amounts: Amounts,
  all: boolean,
): string[] {
  const { state, context, file_changes: files, recovery_info: recovery } = checkpoint;
  const repeats = checkpoint.step_name !== null && checkpoint.step_status !== 'success';
  const noted = (text: string, note: string): string => say('text.noted', { text, note });
  const facts: [string, string | null][] = [
    [
      say('checkpoints.made'),
      noted(amounts.moment(checkpoint.created_at), amounts.ago(checkpoint.created_at)),
    ],
    [say('checkpoints.why'), noted(triggerText(checkpoint, say), say(`priority.${checkpoint.priority}`))],
    [say('checkpoints.state'), noted(say(`status.${state.status}`), `${percentOf(state.progress)}%`)],
    [
      say('checkpoints.step'),
      checkpoint.step_name && noted(checkpoint.step_name, say(`step_status.${checkpoint.step_status}`)),
    ],
    [say(repeats ? 'checkpoints.resumes_with' : 'checkpoints.resumes_after'), recovery.resume_point],
    [say('checkpoints.directory'), recovery.working_dir],
    [
      say('checkpoints.needs'),
      listOf(Object.entries(recovery.env_requirements).map(([name, range]) => `${name} ${range}`)),
    ],
    [say('checkpoints.created_files'), listOf(files.created)],
    [
      say('checkpoints.modified_files'),
      listOf(files.modified.map(({ path, by }) => noted(path, say(`changed_by.${by}`)))),
    ],
    [say('checkpoints.deleted_files'), listOf(files.deleted)],
    [say('checkpoints.snapshot'), checkpoint.snapshot ?? null],
  ];
  const shown = facts.flatMap(([label, text]) =>
    text === null ? [] : [[[label, paint.dim] as const, text]],
  );
  const messages = all ? context.messages : context.messages.slice(-NEWEST);
  const counts = { messages: context.messages.length, tools: context.tool_outputs.length };
  return [
    paint.bold(short),
    ...table(shown, width),
    ...(counts.messages + counts.tools > 0 ? [paint.bold(say('checkpoints.conversation', counts))] : []),
    ...table(
      messages.map((message) => [`  ${message.role}`, textOf(message, all)]),
      width,
    ),
    ...context.decisions.map(({ what, why }) => `  ${say('checkpoints.decided', { what, why: why ?? '–' })}`),
  ];
}

function listOf(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(', ');
}

function textOf({ content }: Message, all: boolean): string {
  const text = typeof content === 'string' ? content : JSON.stringify(plain(content));
  return all ? text : shortened(text, SHOWN_TEXT);
}

/** The options that answer what stands in the way; none where the checkpoint itself is damaged. */
function answering({ structural, integrity, environmental }: CheckpointValidation): string[] {
  if (![...Object.values(structural), ...Object.values(integrity)].every(Boolean)) return [];
  const { workingDirectoryExists, filesUnchanged, dependenciesAvailable } = environmental;
  return [
    ...(filesUnchanged ? [] : ['--on-modified', '--on-deleted']),
    ...(workingDirectoryExists && dependenciesAvailable ? [] : ['--on-environment']),
  ];
}

interface Next {
  readonly over: boolean;
  readonly flags: readonly string[];
  readonly command: string | null;
}

function validationLines(
  { valid, problems }: Pick<CheckpointValidation, 'valid' | 'problems'>,
  { over, flags, command }: Next,
  { say, translate, paint }: Style,
): string[] {
  if (valid && over) return [paint.good(say('checkpoints.valid_to_fork', { command: command! }))];
  if (valid) return [paint.good(say('checkpoints.valid'))];
  const asks = flags.length > 0;
  return [
    paint.warn(say(asks ? 'checkpoints.needs_answer' : 'checkpoints.not_valid')),
    ...problems.map((problem) => `  ${say('checkpoints.problem', { problem: translate(problem) })}`),
    ...(asks ? [say('checkpoints.answer_with', { flags: flags.join(', '), command: command! })] : []),
  ];
}
