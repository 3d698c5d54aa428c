/** Holds what a preview said against what happened: file by file, byte for byte. */
import { hash } from 'node:crypto';
import type { PlannedFile } from '../../src/engine/files/workspace-link.ts';
import type { Files, Thing } from '../workspace/ground.ts';
import { leavesIn } from '../workspace/stories.ts';

export interface Foretold {
  /** What was done otherwise than said; to be asked once it is done. */
  judge(): string[];
}

export function foretold(root: string, plan: readonly PlannedFile[] | null): Foretold {
  const before = leavesIn(root);
  const wrong = (plan ?? []).flatMap((file) => misread(file, before));
  return {
    judge() {
      const after = leavesIn(root);
      const open = plan?.find(({ action, result }) => action !== 'keep' && result === null);
      if (open) return [...wrong, `the preview left ${open.path} open, and yet it was done`];
      const planned = new Map(plan?.map((file) => [file.path, file]));
      const paths = new Set([...before.keys(), ...after.keys()]);
      return [...wrong, ...[...paths].flatMap((path) => misjudged(path, planned.get(path), before, after))];
    },
  };
}

/** What it says of the file as it is, and how the hunks lead from there to what it will be. */
function misread({ path, before, after, before_hash, own }: PlannedFile, files: Files): string[] {
  const problems: string[] = [];
  const there = files.get(path);
  const bytes = there && contentOf(there);
  if (before_hash !== null && (!bytes || hash('sha256', bytes) !== before_hash))
    problems.push(`the preview has another ${path} than there is`);
  if (before !== null && bytes?.toString() !== before) problems.push(`the preview shows another ${path}`);
  const plain = [before, after].every(
    (text) => text !== null && !text.includes('\r') && /(^|\n)$/.test(text),
  );
  if (own && plain && applied(before!, own) !== after)
    problems.push(`the hunks of ${path} do not make of it what the preview says`);
  return problems;
}

function misjudged(path: string, told: PlannedFile | undefined, before: Files, after: Files): string[] {
  const [was, is] = [before.get(path), after.get(path)];
  const shown = JSON.stringify([was, is]);
  if (!told || told.result === 'keep')
    return same(was, is) ? [] : [`${path} was changed, and the preview says that it stays: ${shown}`];
  if (told.result === 'remove') return is ? [`${path} is there, and was to be removed: ${shown}`] : [];
  if (!is) return [`${path} is gone, and was to be put back`];
  const bytes = contentOf(is);
  const problems = hash('sha256', bytes) === told.after_hash ? [] : [`${path} is not as foretold: ${shown}`];
  if (told.after !== null && told.after !== bytes.toString())
    problems.push(`${path} is not the text foretold`);
  return problems;
}

function contentOf(thing: Thing): Buffer {
  if (thing.kind === 'symlink') return Buffer.from(thing.target);
  return thing.kind === 'file' ? Buffer.from(thing.bytes, 'latin1') : Buffer.alloc(0);
}

function same(a: Thing | undefined, b: Thing | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Texts whose lines end in different ways are left out: their hunks show the endings. */
function applied(text: string, hunks: NonNullable<PlannedFile['own']>): string {
  const lines = text.split(/(?<=\n)/);
  const made: string[] = [];
  let at = 0;
  for (const { before, lines: inside } of hunks) {
    const from = before.count === 0 ? before.start : before.start - 1;
    made.push(...lines.slice(at, from));
    made.push(...inside.filter(({ kind }) => kind !== 'remove').map((line) => `${line.text}\n`));
    at = from + before.count;
  }
  return [...made, ...lines.slice(at)].join('');
}
