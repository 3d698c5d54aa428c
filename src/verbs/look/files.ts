/** `files`: the files at a checkpoint: those that had changed, all of them, or the content of one. */

import type { Checkpoint } from '../../checkpoint/record/record.ts';
import { nearest } from '../../config/nearest.ts';
import type { SnapshotFiles } from '../../engine/reading/snapshot-files.ts';
import { InvalidInputError, WorkspaceError } from '../../errors.ts';
import type { Tree, TreeEntry } from '../../workspace/tree/tree.ts';
import { type Cell, table } from '../format/table.ts';
import { amountsOf } from '../kit/amounts.ts';
import { type Call, verb } from '../kit/verb.ts';

export const files = verb({
  name: 'files',
  group: 'look',
  arguments: { checkpoint: { about: 'files.argument.checkpoint', of: 'checkpoint' } },
  options: {
    all: { about: 'files.option.all' },
    show: { value: 'path', about: 'files.option.show' },
  },
  examples: ['files x7k2qf-4', 'files x7k2qf-4 --all', 'files x7k2qf-4 --show src/login.ts'],
  data: {
    checkpoint: 'string|null',
    snapshot: 'string',
    files: [
      { path: 'string', kind: 'string', size: 'number|null', change: 'string|null', by: 'string|null' },
    ],
    content: 'string|null',
    encoding: 'string|null',
  },
  async run(call) {
    const { say, options } = call;
    const { record, snapshot } = await meant(call, call.args.checkpoint);
    const source = await (await call.engine()).reader.snapshotFiles(record?.task_id ?? null);
    try {
      const tree = await source.tree(snapshot);
      const none = { checkpoint: record?.id ?? null, snapshot, content: null, encoding: null };
      if (options.show !== undefined) {
        const { show } = options;
        const bytes = await source.read(snapshot, show);
        if (bytes === null) throw noSuchFile(show, everyFile(source, tree), say);
        const { text, ...shown } = contentOf(bytes);
        return { data: { ...none, files: [], ...shown }, lines: text, contents: true };
      }
      const found =
        options.all || !record
          ? everyFile(source, tree)
          : changedAt(record.file_changes, (path) => source.entryAt(tree, path));
      const { bytes } = amountsOf(call);
      const rows = found.map(({ path, kind, size, change, by }): Cell[] => [
        (change && MARKS[change]) ?? '',
        size === null ? kind : bytes(size),
        by === null ? path : say('files.by', { path, by: say(`changed_by.${by}`) }),
      ]);
      const nothing = say(options.all || !record ? 'files.none' : 'files.none_changed');
      return { data: { ...none, files: found }, lines: found.length === 0 ? [nothing] : table(rows, null) };
    } finally {
      source.close();
    }
  },
});

/** A checkpoint; or a snapshot by itself, as notes of what was replaced name it. */
async function meant(
  call: Pick<Call, 'ids' | 'engine' | 'say'>,
  given: string,
): Promise<{ record: Checkpoint | null; snapshot: string }> {
  if (/^snapshot\/[0-9a-f]{64}$/.test(given)) return { record: null, snapshot: given };
  const id = await (await call.ids()).checkpoint(given);
  const record = (await (await call.engine()).checkpoints.loadCheckpoint(id, { context: 'none' }))!;
  if (record.snapshot === undefined) throw nothingKnown(id, call.say);
  return { record, snapshot: record.snapshot };
}

interface ListedFile {
  readonly path: string;
  readonly kind: string;
  readonly size: number | null;
  readonly change: string | null;
  readonly by: By | null;
}

type By = Changes['modified'][number]['by'];

const MARKS: Readonly<Record<string, string>> = { created: 'A', deleted: 'D', modified: 'M' };

function everyFile(source: SnapshotFiles, tree: Tree): ListedFile[] {
  return [...source.entries(tree)]
    .filter(([, { kind }]) => kind !== 'dir')
    .map(([path, entry]) => ({ path, ...described(entry), change: null, by: null }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

type Changes = Checkpoint['file_changes'];

/** Since the checkpoint before it. */
function changedAt(
  { created, modified, deleted, details = [] }: Changes,
  entryAt: (path: string) => TreeEntry | null,
): ListedFile[] {
  const one = (path: string, change: string, by: By | null): ListedFile => ({
    path,
    ...described(entryAt(path)),
    change,
    by,
  });
  const authors = new Map(details.map(({ path, by }) => [path, by]));
  return [
    ...created.map((path) => one(path, 'created', authors.get(path) ?? null)),
    ...modified.map(({ path, by }) => one(path, 'modified', by)),
    ...deleted.map((path) => one(path, 'deleted', authors.get(path) ?? null)),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What was not captured says why. */
function described(entry: TreeEntry | null): { kind: string; size: number | null } {
  if (entry === null) return { kind: 'gone', size: null };
  return {
    kind: entry.kind === 'omitted' ? entry.why : entry.kind,
    size: entry.kind === 'file' ? entry.size : null,
  };
}

function contentOf(bytes: Uint8Array): { content: string; encoding: string; text: string[] } {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(buffer) || text.includes('\0')) {
    const content = buffer.toString('base64');
    return { content, encoding: 'base64', text: [content] };
  }
  return { content: text, encoding: 'utf8', text: text.replace(/\n$/, '').split('\n') };
}

function nothingKnown(id: string, say: Call['say']): WorkspaceError {
  return new WorkspaceError('SNAPSHOT_NOT_FOUND', say('files.unknown', { id }), {
    data: { checkpoint: id },
    hint: say('files.unknown_hint'),
  });
}

function noSuchFile(path: string, there: readonly ListedFile[], say: Call['say']): InvalidInputError {
  const near = nearest(
    path,
    there.map((file) => file.path),
  );
  const meant = near === undefined ? '' : say('usage.nearest', { nearest: near });
  return new InvalidInputError('USAGE', say('files.no_file', { path }), {
    data: { path, nearest: near ?? null },
    hint: meant + say('files.list_all'),
  });
}
