/** `compare`: two tasks side by side, above all two forks: where they parted, what each did since, and what merging would do. */
import type { ComparedTask, DifferingFile } from '../../engine/reading/compare.ts';
import { table } from '../format/table.ts';
import { tidy } from '../format/width.ts';
import { amountsOf } from '../kit/amounts.ts';
import type { Ids } from '../kit/ids.ts';
import { type Call, verb } from '../kit/verb.ts';
import { inDoubt, named } from '../shared/file-lines.ts';
import { counts, hunkLines } from '../shared/hunks.ts';
import { plain } from '../shared/plain.ts';
import { statusText } from './status.ts';

const SIDE = {
  task: 'string',
  short: 'string',
  name: 'string',
  status: 'string',
  holder: 'string|null',
  interrupted: 'boolean',
  idle: 'boolean',
  expired: 'boolean',
  timed_out: 'boolean',
  steps: 'number',
  ms: 'number',
  files: 'number',
  added: 'number',
  removed: 'number',
  verified: 'any',
  snapshot: 'string|null',
  in_doubt: ['string'],
  complete: 'boolean',
} as const;

export const compare = verb({
  name: 'compare',
  group: 'look',
  arguments: {
    a: { about: 'argument.task', of: 'task' },
    b: { about: 'argument.task', of: 'task' },
  },
  options: { patch: { about: 'checkpoints.diff.option.patch' } },
  examples: ['compare x7k2qf m3p9ra', 'compare x7k2qf m3p9ra --patch'],
  data: {
    ancestor: 'any',
    a: SIDE,
    b: SIDE,
    same: ['string'],
    only_a: ['string'],
    only_b: ['string'],
    differ: [{ path: 'string', merge: 'string', hunks_a: 'any', hunks_b: 'any' }],
  },
  async run(call) {
    const { say, paint } = call;
    const ids = await call.ids();
    const [a, b] = [await ids.task(call.args.a), await ids.task(call.args.b)];
    const found = await (await call.engine()).reader.compare(a, b);
    const told = (side: ComparedTask) => ({
      ...side,
      short: ids.short(side.task),
      verified: plain(side.verified),
    });
    const { ancestor, same, only_a, only_b, differ } = found;
    const list = (key: 'same' | 'only_a' | 'only_b', paths: readonly string[]): string[] =>
      paths.length === 0 ? [] : [say(`compare.${key}`, { count: paths.length, names: named(paths) })];
    return {
      data: { ...found, a: told(found.a), b: told(found.b), ancestor },
      lines: [
        ancestor === null
          ? say('compare.nothing_shared')
          : say('compare.parted', {
              place:
                ancestor.checkpoint === null
                  ? ids.short(ancestor.task)
                  : ids.shortCheckpoint(ancestor.checkpoint),
            }),
        ...table([row('A', found.a, call, ids), row('B', found.b, call, ids)], null),
        ...doubtLine('A', found.a, call),
        ...doubtLine('B', found.b, call),
        ...list('same', same),
        ...list('only_a', only_a),
        ...list('only_b', only_b),
        ...(differ.length === 0 ? [] : [paint.bold(say('compare.differ', { count: differ.length }))]),
        ...differ.flatMap((file) => fileLines(file, call, ids)),
        ...(found.b.files > 0 && a !== b
          ? [say('compare.take', { command: takeCommand(call, ids, a, b) })]
          : []),
      ],
    };
  },
});

function takeCommand({ invoke }: Pick<Call, 'invoke'>, ids: Ids, a: string, b: string): string {
  return invoke(`take ${ids.short(b)} ${ids.short(a)}`);
}

function row(
  letter: string,
  side: ComparedTask,
  call: Pick<Call, 'say' | 'paint' | 'now'>,
  ids: Ids,
): string[] {
  const { say } = call;
  return [
    letter,
    ids.short(side.task),
    side.name,
    statusText(side, say),
    say('compare.steps', { count: side.steps }),
    amountsOf(call).duration(side.ms),
    say('checkpoints.files', { count: side.files }),
    `+${side.added} −${side.removed}`,
  ];
}

/** What it may have changed, too; none where that is known. */
function doubtLine(
  letter: string,
  { in_doubt, complete }: ComparedTask,
  { say, paint }: Pick<Call, 'say' | 'paint'>,
): string[] {
  const doubts = inDoubt(in_doubt, say);
  const told = doubts === null ? (complete ? null : say('compare.open')) : doubts;
  return told === null ? [] : [paint.warn(`${letter}  ${told}`)];
}

function fileLines(
  { path, merge, hunks_a, hunks_b }: DifferingFile,
  call: Pick<Call, 'say' | 'paint'> & { readonly options: { readonly patch: boolean } },
  ids: Ids,
): string[] {
  const { say, paint, options } = call;
  const paintMerge = merge === 'clean' ? paint.good : paint.warn;
  const side = (letter: string, hunks: typeof hunks_a): string[] => [
    `    ${letter}  ${summed(hunks, call)}`.trimEnd(),
    ...(options.patch ? hunkLines(hunks ?? [], call, ids.short).map((line) => `    ${line}`) : []),
  ];
  return [
    `  ${tidy(path)}  ${paintMerge(say(`compare.merge.${merge}`))}`,
    ...(merge === 'binary' ? [] : [...side('A', hunks_a), ...side('B', hunks_b)]),
  ];
}

function summed(hunks: DifferingFile['hunks_a'], call: Pick<Call, 'paint'>): string {
  const count = (kind: string): number =>
    hunks?.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0) ?? 0;
  return counts(count('add'), count('remove'), call);
}
