/** What a preview of a rewind says, in two columns: what goes, what stays. Pure. */
import type { PlannedFile, Preview } from '../../shapes/files.ts';

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

/** What was decided about the places of files, as the verbs take it. */
export type Lines = ReadonlyMap<string, { readonly hunk: readonly string[]; readonly text: string | null }>;

/** The choice for a file whose places are decided one by one. */
export const BY_LINES = 'lines';

/** The options of all that was decided; `plan`: as it was then. */
export function decisions(
  chosen: Chosen,
  lines: Lines,
  plan: readonly PlannedFile[] | null,
): Record<string, string[]> {
  const byLines = [...lines].filter(([path]) => chosen.get(path) === BY_LINES);
  const hash = (path: string) => plan?.find((file) => file.path === path)?.before_hash ?? null;
  return {
    file: [...chosen]
      .filter(([, choice]) => choice !== BY_LINES)
      .map(([path, choice]) => `${path}=${choice}`),
    hunk: byLines.flatMap(([, { hunk, text }]) => (text === null ? hunk : [])),
    text: byLines.flatMap(([path, { text }]) => (text === null ? [] : [`${path}=${text}`])),
    'expect-file': byLines.flatMap(([path]) => (hash(path) === null ? [] : [`${path}=${hash(path)}`])),
  };
}

export function foresee({ plan, steps, entries, checkpoints }: Preview, chosen: Chosen): Foreseen {
  const files = plan ?? [];
  // What was chosen can be chosen differently.
  const asks = files.filter(
    ({ outcome, action, path }) => outcome !== 'clean' || (action === 'ask' && chosen.has(path)),
  );
  const changes = files.filter((file) => file.outcome === 'clean' && file.result !== 'keep');
  const left = (file: PlannedFile) => LEAVES.has(chosen.get(file.path) ?? '');
  return {
    goes: changes.filter((file) => !left(file)),
    stays: files.filter(
      (file) => file.outcome === 'clean' && (file.result === 'keep' || left(file) || othersStay(file)),
    ),
    asks,
    runs: files
      .filter((file) => changes.includes(file) || asks.includes(file))
      .filter((file) => file.runs && !left(file))
      .map(({ path }) => path),
    steps: steps?.length ?? 0,
    messages: entries?.message ?? 0,
    checkpoints: checkpoints?.length ?? 0,
  };
}

function othersStay({ lines, action }: PlannedFile): boolean {
  return lines === null ? action === 'ask' : lines.stay > 0;
}

/** Choices that leave a file as it is. */
const LEAVES: ReadonlySet<string> = new Set(['use_current', 'skip']);

/** How many files it changes, as chosen. */
export function changedFiles({ goes, asks }: Foreseen, chosen: Chosen): number {
  const decided = asks.filter(({ path, outcome }) => {
    const choice = chosen.get(path);
    return outcome !== 'clean' && choice !== undefined && !LEAVES.has(choice) && choice !== 'abort';
  });
  return goes.length + decided.length;
}

/** Whether everything that has to be decided is. */
export function isDecided({ asks }: Foreseen, chosen: Chosen): boolean {
  return asks.every(({ path, choice, outcome }) => {
    const made = chosen.get(path) ?? choice ?? 'abort';
    return made === BY_LINES ? outcome === 'clean' : made !== 'abort';
  });
}
