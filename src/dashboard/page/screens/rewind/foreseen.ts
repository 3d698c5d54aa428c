/** What a preview of a rewind says, in two columns: what goes, what stays. Pure. */
import type { PlannedFile, Preview } from '../../shapes/files.ts';
import type { Hunk } from '../../shapes/types.ts';

export interface Foreseen {
  /** Files whose changes by the task are taken back. */
  readonly goes: readonly PlannedFile[];
  /** Files that stay as they are, in part or as a whole. */
  readonly stays: readonly PlannedFile[];
  /** Files about which somebody has to decide first. */
  readonly asks: readonly PlannedFile[];
  /** Of the files that change, or may, those whose content is run by tools. */
  readonly runs: readonly string[];
  readonly steps: number;
  readonly messages: number;
  readonly checkpoints: number;
}

/** As things were chosen on the page. */
export type Chosen = ReadonlyMap<string, string>;

export function foresee({ plan, steps, entries, checkpoints }: Preview, chosen: Chosen): Foreseen {
  const files = plan ?? [];
  const asks = files.filter(({ outcome }) => outcome !== 'clean');
  const changes = files.filter((file) => file.outcome === 'clean' && file.result !== 'keep');
  const left = (file: PlannedFile) => LEAVES.has(chosen.get(file.path) ?? '');
  return {
    goes: changes.filter((file) => !left(file)),
    stays: files.filter(
      (file) =>
        file.outcome === 'clean' && (file.result === 'keep' || left(file) || (file.others?.length ?? 0) > 0),
    ),
    asks,
    runs: [...changes, ...asks].filter((file) => file.runs && !left(file)).map(({ path }) => path),
    steps: steps?.length ?? 0,
    messages: entries?.message ?? 0,
    checkpoints: checkpoints?.length ?? 0,
  };
}

/** Choices that leave a file as it is. */
const LEAVES: ReadonlySet<string> = new Set(['use_current', 'skip']);

/** How many files it changes, as chosen. */
export function changedFiles({ goes, asks }: Foreseen, chosen: Chosen): number {
  const decided = asks.filter(({ path }) => {
    const choice = chosen.get(path);
    return choice !== undefined && !LEAVES.has(choice) && choice !== 'abort';
  });
  return goes.length + decided.length;
}

/** Whether everything that has to be decided is. */
export function isDecided({ asks }: Foreseen, chosen: Chosen): boolean {
  return asks.every(({ path, choice }) => (chosen.get(path) ?? choice ?? 'abort') !== 'abort');
}

/** How many lines of hunks were added, and removed. */
export function linesIn(hunks: readonly Hunk[] | null): { added: number; removed: number } {
  const lines = (hunks ?? []).flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter(({ kind }) => kind === 'add').length,
    removed: lines.filter(({ kind }) => kind === 'remove').length,
  };
}
