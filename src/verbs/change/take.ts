/** `take`: brings what one task did to files to where another works. Shows what that changes, then asks. */
import type { PlannedFile } from '../../engine/files/workspace-link.ts';
import type { TakePreview } from '../../engine/recovery/rollback-results.ts';
import { EXIT } from '../kit/exit.ts';
import { type Call, verb } from '../kit/verb.ts';
import { detailLines, inDoubt, named, noteLines, refuseUnplanned } from '../shared/file-lines.ts';
import { doneBy, expected, PREVIEWED, YES } from '../shared/options.ts';
import { answersFor, choicesIn, detailsFor, planData, refuseMasked } from '../shared/previewed.ts';
import type { TextKey } from '../text/catalogue.ts';

export const take = verb({
  name: 'take',
  group: 'change',
  files: true,
  arguments: {
    from: { about: 'take.argument.from', of: 'task' },
    into: { about: 'take.argument.into', of: 'task' },
  },
  options: {
    ...PREVIEWED,
    'expect-from': {
      value: 'position',
      number: { min: 0, whole: true },
      about: 'take.option.expect_from',
    },
    ...YES,
  },
  examples: [
    'take m3p9ra x7k2qf',
    'take m3p9ra x7k2qf --dry-run --patch',
    'take m3p9ra x7k2qf --file src/login.ts=use_current --yes',
    'take m3p9ra x7k2qf --hunk src/api.ts:1=taken --hunk src/api.ts:2=yours',
  ],
  data: {
    task: 'string',
    from: 'string',
    done: 'boolean',
    checkpoint: 'string|null',
    files: ['string'],
    plan: 'any',
    expect: 'number',
    expect_from: 'number',
    in_doubt: ['string'],
    lost: ['string'],
    complete: 'boolean',
    notes: 'any',
  },
  async run(call) {
    const { say, options, paint } = call;
    const ids = await call.ids();
    const [from, task] = [await ids.task(call.args.from), await ids.task(call.args.into)];
    const engine = await call.engine();
    const choices = choicesIn(call);
    const preview = await engine.previewTake(from, task, { ...choices, ...detailsFor(options, choices) });
    refuseUnplanned(choices, preview, call);
    refuseMasked(choices, preview.plan);
    const foreseen = { ...dataOf(preview, options.summary), done: false, checkpoint: null, notes: null };
    const title = say('take.title', { from: ids.short(from), task: ids.short(task) });
    const lines = [
      paint.bold(title),
      ...[...takenLines(preview.plan ?? [], call), ...doubtLines(preview, call)].map((line) => `  ${line}`),
    ];
    if (options['dry-run']) {
      const shown = { patch: options.patch || options.path.length > 0, short: ids.short, taking: true };
      const inside = detailLines(preview.plan, call, shown).map((line) => `  ${line}`);
      return { data: foreseen, lines: [...lines, ...inside] };
    }
    // If all of it is there, the engine says so.
    if (preview.files?.length) {
      for (const line of lines) call.tell(line);
      const ask = say('take.ask', { from: ids.short(from), task: ids.short(task) });
      if (!options.yes && !(await call.ask.confirm(ask, answersFor(conflicting(preview.plan), choices))))
        return { data: foreseen, lines: [say('ask.declined')], exit: EXIT.declined };
    }
    const { 'expect-from': expect_from } = options;
    const result = await engine.take(from, task, {
      ...choices,
      ...expected(options),
      ...(expect_from === undefined ? {} : { expect_from }),
      ...doneBy(call),
    });
    const { done, checkpoint, files, notes, position } = result;
    const back = checkpoint && call.invoke(`rollback ${ids.shortCheckpoint(checkpoint)} --only=files`);
    return {
      data: { ...dataOf(preview), files: [...files], expect: position, done, checkpoint, notes },
      lines: [
        done
          ? say('take.done', { count: files.length, from: ids.short(from), task: ids.short(task) })
          : say('take.nothing', { from: ids.short(from) }),
        ...noteLines(notes, call),
        ...(back ? [say('take.next', { command: back })] : []),
      ],
    };
  },
});

function dataOf(preview: TakePreview, summary = false) {
  const { task, from, files, expect, expect_from, in_doubt, lost, complete } = preview;
  const plan = planData(preview.plan, summary);
  return {
    ...{ task, from, expect, expect_from, complete, plan },
    ...{ files: [...(files ?? [])], in_doubt: [...in_doubt], lost: [...lost] },
  };
}

/** Others are merged, and nobody is asked about them. */
function conflicting(plan: TakePreview['plan']): TakePreview['plan'] {
  return plan?.filter(({ outcome }) => outcome !== 'clean') ?? null;
}

function takenLines(plan: readonly PlannedFile[], { say, paint }: Pick<Call, 'say' | 'paint'>): string[] {
  const line = (key: TextKey, files: readonly PlannedFile[]): string[] =>
    files.length === 0
      ? []
      : [say(key, { count: files.length, names: named(files.map(({ path }) => path)) })];
  const open = plan.filter(({ outcome }) => outcome !== 'clean');
  const [asked, missing] = [
    open.filter(({ why }) => why === 'modified'),
    open.filter(({ why }) => why === 'deleted'),
  ];
  const clean = plan.filter(({ outcome }) => outcome === 'clean');
  const merged = clean.filter(({ action, result }) => action === 'ask' && result === 'put');
  const put = clean.filter(({ action, result }) => action !== 'ask' && result === 'put');
  const kept = clean.filter(({ result, why }) => result === 'keep' && why !== 'already');
  const found = [
    ...line('take.files', put),
    ...line('take.merged', merged),
    ...line(
      'rollback.files_removed',
      clean.filter(({ result }) => result === 'remove'),
    ),
    ...line(
      'take.there',
      clean.filter(({ why }) => why === 'already'),
    ),
    ...line('take.stay', kept),
    ...[...line('take.conflict', asked), ...line('take.missing', missing)].map(paint.warn),
    ...line(
      'rollback.files_run',
      plan.filter(({ runs, result }) => runs && result !== 'keep'),
    ).map(paint.warn),
  ];
  return found.length > 0 ? found : [say('rollback.no_files')];
}

function doubtLines(
  { in_doubt, lost, complete }: TakePreview,
  { say, paint }: Pick<Call, 'say' | 'paint'>,
): string[] {
  const doubts = inDoubt(in_doubt, say);
  return [
    ...(doubts === null ? [] : [`${doubts} ${say('take.not_taken')}`]),
    ...(lost.length > 0 ? [say('take.lost', { count: lost.length, names: named(lost) })] : []),
    ...(complete ? [] : [say('compare.open')]),
  ].map(paint.warn);
}
