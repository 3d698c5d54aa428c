/** `checkpoints diff`: what changed between two checkpoints. */
import type { Checkpoint } from '../../checkpoint/record/record.ts';
import type { Engine } from '../../engine/engine.ts';
import type { TreeChange } from '../../workspace/tree/diff.ts';
import type { TreeEntry } from '../../workspace/tree/tree.ts';
import { tidy } from '../format/width.ts';
import { percentOf } from '../kit/amounts.ts';
import { type Call, verb } from '../kit/verb.ts';
import { plain } from '../shared/plain.ts';

export const checkpointsDiff = verb({
  name: 'checkpoints diff',
  group: 'look',
  arguments: {
    from: { about: 'argument.checkpoint', of: 'checkpoint' },
    to: { about: 'argument.checkpoint', of: 'checkpoint' },
  },
  options: { patch: { about: 'checkpoints.diff.option.patch' } },
  examples: ['checkpoints diff x7k2qf-2 x7k2qf-5', 'checkpoints diff x7k2qf-2 x7k2qf-5 --patch'],
  data: {
    from: 'string',
    to: 'string',
    steps: 'number',
    messages: 'number',
    tool_outputs: 'number',
    decisions: 'number',
    progress: 'number',
    variables: [{ name: 'string', before: 'any', after: 'any' }],
    files_known: 'boolean',
    files: [{ path: 'string', change: 'string', patch: 'string|null' }],
  },
  async run(call) {
    const { say } = call;
    const ids = await call.ids();
    const { checkpoints, reader } = await call.engine();
    const load = async (given: string): Promise<Checkpoint> =>
      (await checkpoints.loadCheckpoint(await ids.checkpoint(given)))!;
    const [from, to] = [await load(call.args.from), await load(call.args.to)];
    const files = await filesBetween(from, to, { reader, patch: call.options.patch });
    const data = {
      from: from.id,
      to: to.id,
      steps: to.step_index - from.step_index,
      messages: to.context.messages.length - from.context.messages.length,
      tool_outputs: to.context.tool_outputs.length - from.context.tool_outputs.length,
      decisions: to.context.decisions.length - from.context.decisions.length,
      progress: to.state.progress - from.state.progress,
      variables: variablesBetween(from, to),
      files_known: files !== null,
      files: files ?? [],
    };
    const decided = to.context.decisions.slice(from.context.decisions.length);
    const counts = {
      steps: data.steps,
      messages: data.messages,
      tools: data.tool_outputs,
      progress: percentOf(to.state.progress) - percentOf(from.state.progress),
    };
    return {
      data,
      lines: [
        say('checkpoints.diff.counts', counts),
        ...decided.map(({ what, why }) => say('checkpoints.decided', { what, why: why ?? '–' })),
        ...data.variables.map(({ name, before, after }) =>
          say('checkpoints.diff.variable', { name, before: shown(before), after: shown(after) }),
        ),
        ...(files === null ? [say('checkpoints.diff.no_files')] : fileLines(files, call)),
      ],
    };
  },
});

function variablesBetween(
  from: Checkpoint,
  to: Checkpoint,
): { name: string; before: unknown; after: unknown }[] {
  const [a, b] = [plain(from.step_variables), plain(to.step_variables)] as Record<string, unknown>[];
  const names = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])];
  return names
    .map((name) => ({ name, before: a?.[name] ?? null, after: b?.[name] ?? null }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
}

const SHOWN = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

interface ChangedFile {
  readonly path: string;
  readonly change: string;
  readonly patch: string | null;
}

/** Null if one of them has no file information. */
async function filesBetween(
  from: Checkpoint,
  to: Checkpoint,
  { reader, patch }: Pick<Engine, 'reader'> & { readonly patch: boolean },
): Promise<ChangedFile[] | null> {
  if (from.snapshot === undefined || to.snapshot === undefined) return null;
  const { patchOf } = await import('../../merge/patch.ts');
  const files = await reader.snapshotFiles(to.task_id);
  try {
    const changes = (await files.diff(from.snapshot, to.snapshot)).filter(
      ({ before, after }) => isFile(before) || isFile(after),
    );
    const found: ChangedFile[] = [];
    for (const { path, before, after } of changes) {
      const change = kindOfChange({
        before: isFile(before) ? before : null,
        after: isFile(after) ? after : null,
      });
      const none = new Uint8Array();
      const lines = patch
        ? patchOf(
            (await files.read(from.snapshot, path)) ?? none,
            (await files.read(to.snapshot, path)) ?? none,
          )
        : null;
      found.push({ path, change, patch: lines?.join('\n') ?? null });
    }
    return found;
  } finally {
    files.close();
  }
}

function kindOfChange({
  before,
  after,
}: Pick<TreeChange, 'before' | 'after'>): 'created' | 'deleted' | 'modified' {
  return before === null ? 'created' : after === null ? 'deleted' : 'modified';
}

/** Files and links; directories follow their content. */
function isFile(entry: TreeEntry | null): boolean {
  return entry?.kind === 'file' || entry?.kind === 'symlink';
}

function fileLines(files: readonly ChangedFile[], { say, paint }: Pick<Call, 'say' | 'paint'>): string[] {
  const painters = { '+': paint.good, '-': paint.bad, '@': paint.dim } as Readonly<
    Record<string, typeof paint.bad>
  >;
  const marks: Readonly<Record<string, string>> = { created: 'A', deleted: 'D', modified: 'M' };
  return [
    say('checkpoints.diff.files', { count: files.length }),
    ...files.flatMap(({ path, change, patch }) => [
      `  ${marks[change]} ${tidy(path)}`,
      ...(patch === null || patch === '' ? [] : patch.split('\n')).map((line) => {
        return (painters[line[0]!] ?? ((text: string) => text))(tidy(line));
      }),
    ]),
  ];
}
