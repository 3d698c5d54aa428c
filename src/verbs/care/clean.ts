/** `clean`: removes what the policies select. Shows what would be removed and why, then asks. */
import type { CleanOptions, CleanupReport } from '../../engine/cleanup/clean.ts';
import { type Amounts, amountsOf } from '../kit/amounts.ts';
import { EXIT } from '../kit/exit.ts';
import type { Ids } from '../kit/ids.ts';
import { type Call, verb } from '../kit/verb.ts';
import { DRY_RUN, doneBy, YES } from '../shared/options.ts';
import { plain } from '../shared/plain.ts';

export const clean = verb({
  name: 'clean',
  aliases: ['checkpoints clean'],
  group: 'care',
  arguments: { tasks: { about: 'clean.argument.tasks', of: 'task', optional: true, many: true } },
  options: {
    'older-than': { value: 'days', number: { min: 0 }, about: 'clean.option.older_than' },
    keep: { value: 'n', number: { min: 1, whole: true }, about: 'clean.option.keep' },
    completed: { about: 'clean.option.completed' },
    ...DRY_RUN,
    ...YES,
  },
  examples: ['clean', 'clean --dry-run', 'clean x7k2qf --keep 3 --yes'],
  data: {
    done: 'boolean',
    removed: [{ task: 'string', checkpoint: 'string', policy: 'string', why: 'string', bytes: 'number' }],
    unlisted: 'number',
    spared: [{ task: 'string', checkpoint: 'string', policy: 'string', because: 'string' }],
    emptied: ['string'],
    forgotten: [{ task: 'string', at: 'time' }],
    skipped: [{ task: 'string|null', why: 'string' }],
    freed_bytes: 'number',
    pending_bytes: 'number',
    freed: 'any',
  },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const tasks = await Promise.all(call.args.tasks.map(ids.task));
    const options: CleanOptions = { policy: policyOf(call.options), ...(tasks.length > 0 ? { tasks } : {}) };
    const engine = await call.engine();
    const amounts = amountsOf(call);
    const preview = await engine.clean({ ...options, dry_run: true });
    const lines = reportLines(preview, ids, call, amounts);
    const nothing =
      preview.removed.length === 0 && preview.freed_bytes === 0 && preview.forgotten.length === 0;
    if (call.options['dry-run'] || nothing)
      return {
        data: { ...dataOf(preview), done: false },
        lines: nothing ? [say('clean.nothing'), ...skippedLines(preview, ids, call)] : lines,
      };
    for (const line of lines) call.tell(line);
    if (!call.options.yes && !(await call.ask.confirm(say('clean.ask'), '--yes')))
      return { data: { ...dataOf(preview), done: false }, lines: [say('ask.declined')], exit: EXIT.declined };
    const report = await engine.clean({ ...options, ...doneBy(call) });
    const freed = {
      count: report.removed.length + report.unlisted,
      freed: amounts.bytes(report.freed_bytes),
      pending: amounts.bytes(report.pending_bytes),
    };
    return { data: { ...dataOf(report), done: true }, lines: [say('clean.done', freed)] };
  },
});

/** The command's options override the settings. */
function policyOf(options: {
  readonly 'older-than': number | undefined;
  readonly keep: number | undefined;
  readonly completed: boolean;
}): NonNullable<CleanOptions['policy']> {
  const { 'older-than': older_than_days, keep: newest_per_execution, completed } = options;
  return {
    ...(older_than_days === undefined ? {} : { older_than_days }),
    ...(newest_per_execution === undefined ? {} : { newest_per_execution }),
    ...(completed ? { remove_completed: true } : {}),
  };
}

function dataOf({
  removed,
  unlisted,
  spared,
  emptied,
  forgotten,
  skipped,
  freed_bytes,
  pending_bytes,
  freed,
}: CleanupReport) {
  return {
    removed: removed.map(({ task, id, policy, why, bytes }) => ({
      task,
      checkpoint: id,
      policy,
      why,
      bytes,
    })),
    unlisted,
    spared: spared.map(({ task, id, policy, because }) => ({ task, checkpoint: id, policy, because })),
    emptied,
    forgotten: forgotten.map(({ task, at }) => ({ task, at })),
    skipped: skipped.map(({ task, why }) => ({ task, why })),
    freed_bytes,
    pending_bytes,
    freed: plain(freed),
  };
}

const MOST_LISTED = 20;

function reportLines(
  { removed, unlisted, spared, forgotten, skipped, freed_bytes, pending_bytes }: CleanupReport,
  ids: Ids,
  { say, translate, paint }: Pick<Call, 'say' | 'translate' | 'paint'>,
  { bytes }: Amounts,
): string[] {
  const more = removed.length - MOST_LISTED;
  const count = removed.length + unlisted;
  return [
    paint.bold(say('clean.would', { count, freed: bytes(freed_bytes), pending: bytes(pending_bytes) })),
    ...removed
      .slice(0, MOST_LISTED)
      .map(({ id, why }) => `  ${say('clean.goes', { id: ids.shortCheckpoint(id), why: translate(why) })}`),
    ...(more > 0 ? [`  ${say('clean.more', { count: more })}`] : []),
    ...(unlisted > 0 ? [`  ${say('clean.unlisted', { count: unlisted })}`] : []),
    ...(forgotten.length > 0 ? [say('clean.forgotten', { count: forgotten.length })] : []),
    ...(spared.length > 0 ? [say('clean.spared', { count: spared.length })] : []),
    ...skippedLines({ skipped }, ids, { say, translate, paint }),
  ];
}

function skippedLines(
  { skipped }: Pick<CleanupReport, 'skipped'>,
  ids: Ids,
  { say, translate, paint }: Pick<Call, 'say' | 'translate' | 'paint'>,
): string[] {
  return skipped.map(({ task, why }) =>
    paint.warn(say('clean.skipped', { task: task === null ? '–' : ids.short(task), why: translate(why) })),
  );
}
