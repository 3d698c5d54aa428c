/** `checkpoints diff`: what changed between two points of a task, in its state and in files, and who changed them. */

import type { DiffPoint } from '../../engine/reading/diff-points.ts';
import type { FileDiff } from '../../engine/reading/file-diff.ts';
import { InvalidInputError } from '../../errors.ts';
import { shortened } from '../../system/shortened.ts';
import { parseCheckpointId } from '../../task/keys.ts';
import { tidy } from '../format/width.ts';
import { percentOf } from '../kit/amounts.ts';
import type { Ids } from '../kit/ids.ts';
import { type Call, verb } from '../kit/verb.ts';
import { author, counts, hunkLines } from '../shared/hunks.ts';
import { plain } from '../shared/plain.ts';

export const checkpointsDiff = verb({
  name: 'checkpoints diff',
  group: 'look',
  arguments: {
    from: { about: 'checkpoints.diff.argument.from', of: 'checkpoint' },
    to: { about: 'checkpoints.diff.argument.to', of: 'checkpoint', optional: true },
  },
  options: {
    patch: { about: 'checkpoints.diff.option.patch' },
    path: { value: 'path', many: true, whole: true, about: 'checkpoints.diff.option.path' },
    context: { value: 'lines', number: { min: 0, whole: true }, about: 'checkpoints.diff.option.context' },
    task: { value: 'task', about: 'checkpoints.diff.option.task' },
  },
  examples: [
    'checkpoints diff x7k2qf-2 x7k2qf-5',
    'checkpoints diff x7k2qf-2 now --patch',
    'checkpoints diff start now --task x7k2qf --path src/login.ts',
  ],
  data: {
    from: 'string',
    to: 'string',
    task: 'string',
    snapshots: { from: 'string|null', to: 'string|null' },
    fixed: 'boolean',
    steps: 'number',
    messages: 'number',
    tool_outputs: 'number',
    decisions: 'number',
    progress: 'number',
    variables: [{ name: 'string', before: 'any', after: 'any' }],
    files_known: 'boolean',
    files: [
      {
        path: 'string',
        change: 'string',
        by: ['string'],
        added: 'number|null',
        removed: 'number|null',
        binary: 'boolean',
        mode: 'any',
        too_large: 'boolean',
        hunks: 'any',
        patch: 'string|null',
      },
    ],
  },
  async run(call) {
    const { say, options } = call;
    const ids = await call.ids();
    const { from, to } = await points(call, ids);
    const { path: paths, context, patch } = options;
    const reader = await readerFor(call, to.id === 'now' || from.id === 'now');
    const files = await reader.diffFiles(from, to, {
      hunks: paths.length > 0 ? paths : patch,
      ...(context === undefined ? {} : { context }),
    });
    const { patchOf } = await import('../../merge/patch.ts');
    const data = {
      from: from.id,
      to: to.id,
      task: to.task,
      snapshots: { from: from.snapshot, to: to.snapshot },
      fixed: from.fixed && to.fixed,
      steps: to.steps - from.steps,
      messages: to.messages - from.messages,
      tool_outputs: to.tool_outputs - from.tool_outputs,
      decisions: to.decisions - from.decisions,
      progress: to.progress - from.progress,
      variables: variablesBetween(from, to),
      files_known: files !== null,
      files: (files ?? []).map((file) => ({
        ...file,
        patch: file.hunks && patchOf(file.hunks).join('\n'),
      })),
    };
    return {
      data,
      lines: [
        say('checkpoints.diff.counts', {
          steps: data.steps,
          messages: data.messages,
          tools: data.tool_outputs,
          progress: percentOf(to.progress) - percentOf(from.progress),
        }),
        ...(await decided(from, to, call)),
        ...data.variables.map(({ name, before, after }) =>
          say('checkpoints.diff.variable', { name, before: asText(before), after: asText(after) }),
        ),
        ...(files ? fileLines(files, to.task, call, ids) : [say('checkpoints.diff.no_files')]),
      ],
    };
  },
});

const WORDS: readonly string[] = ['start', 'now'];

type Given = Call<{ from: string; to: string | undefined }, { task: string | undefined }>;

/** `start` and `now` are of the task of the other one, or of --task. */
async function points(call: Given, ids: Ids): Promise<{ from: DiffPoint; to: DiffPoint }> {
  const given = [call.args.from, call.args.to ?? 'now'] as const;
  const isWord = (one: string): boolean => WORDS.includes(one);
  const [from, to] = [
    isWord(given[0]) ? given[0] : await ids.checkpoint(given[0]),
    isWord(given[1]) ? given[1] : await ids.checkpoint(given[1]),
  ];
  const named = [to, from].find((one) => !isWord(one));
  const task = call.options.task
    ? await ids.task(call.options.task)
    : named === undefined
      ? null
      : (parseCheckpointId(named)?.task ?? null);
  if (task === null)
    throw new InvalidInputError('USAGE', call.say('checkpoints.diff.whose'), {
      data: { from, to },
      hint: call.say('checkpoints.diff.whose_hint'),
    });
  const reader = await readerFor(call, [from, to].includes('now'));
  return { from: await reader.diffPoint(from, task), to: await reader.diffPoint(to, task) };
}

async function readerFor(call: Pick<Call, 'engine'>, now: boolean) {
  return (await call.engine(now)).reader;
}

function variablesBetween(
  from: DiffPoint,
  to: DiffPoint,
): { name: string; before: unknown; after: unknown }[] {
  const [a, b] = [plain(from.variables), plain(to.variables)] as Record<string, unknown>[];
  const names = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])];
  return names
    .map((name) => ({ name, before: a?.[name] ?? null, after: b?.[name] ?? null }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

const SHOWN = 60;

function asText(value: unknown): string {
  return shortened(JSON.stringify(value), SHOWN);
}

/** What was decided in between; between checkpoints alone, which hold it. */
async function decided(
  from: DiffPoint,
  to: DiffPoint,
  call: Pick<Call, 'engine' | 'say'>,
): Promise<string[]> {
  if (to.decisions <= from.decisions || WORDS.includes(to.id)) return [];
  const { checkpoints } = await call.engine(false);
  const { context } = (await checkpoints.loadCheckpoint(to.id))!;
  return context.decisions
    .slice(from.decisions)
    .map(({ what, why }) => call.say('checkpoints.decided', { what, why: why ?? '–' }));
}

const MARKS = { created: 'A', deleted: 'D', modified: 'M' } as const;

function fileLines(
  files: readonly FileDiff[],
  task: string,
  call: Pick<Call, 'say' | 'paint'>,
  ids: Ids,
): string[] {
  const { say } = call;
  const sum = (of: 'added' | 'removed'): number => files.reduce((all, file) => all + (file[of] ?? 0), 0);
  const total = counts(sum('added'), sum('removed'), call);
  const about = ({ by, binary, too_large, mode }: FileDiff): string[] => [
    ...(binary ? [say('checkpoints.diff.binary')] : []),
    ...(too_large ? [say('checkpoints.diff.too_large')] : []),
    ...(mode ? [`${mode.before} → ${mode.after}`] : []),
    ...(by.length > 0 ? [by.map((one) => author(one, say, ids.short)).join(', ')] : []),
  ];
  return [
    [say('checkpoints.diff.files', { count: files.length }), total].filter(Boolean).join('  '),
    ...files.flatMap((file) => {
      const parts = [
        counts(file.added, file.removed, call),
        call.paint.dim(about(file).map(tidy).join(' · ')),
      ];
      return [
        [`  ${MARKS[file.change]} ${tidy(file.path)}`, ...parts].filter(Boolean).join('  '),
        ...hunkLines(file.hunks ?? [], call, ids.short, task),
      ];
    }),
  ];
}
