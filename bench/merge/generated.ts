/** Files that are hard to merge in bounded time, the same in every run. */
import { type Draw, drawFrom } from '../../test/merge/cases.ts';

export interface Three {
  readonly base: Buffer;
  readonly ours: Buffer;
  readonly theirs: Buffer;
}

export function bracesAndBlanks(lines: number): Three {
  const draw = drawFrom(1);
  const file = () =>
    Buffer.from(Array.from({ length: lines }, () => (draw(2) === 0 ? '}\n' : '\n')).join(''));
  return { base: file(), ours: file(), theirs: file() };
}

const COMMON = ['}', '', '  return;', '  } else {'];

export function largeFile(lines: number, edits: number): Three {
  const draw = drawFrom(2);
  const line = () =>
    draw(5) === 0 ? COMMON[draw(COMMON.length)]! : `  const value${draw(1e6)} = compute(${draw(1e6)});`;
  const base = Array.from({ length: lines }, line);
  const file = (content: readonly string[]) => Buffer.from(`${content.join('\n')}\n`);
  return {
    base: file(base),
    ours: file(edited(base, edits, line, draw)),
    theirs: file(edited(base, edits, line, draw)),
  };
}

function edited(base: readonly string[], edits: number, line: () => string, draw: Draw): string[] {
  const kinds = new Map(Array.from({ length: edits }, () => [draw(base.length), draw(3)]));
  return base.flatMap((old, at) => {
    const kind = kinds.get(at);
    if (kind === undefined) return [old];
    return kind === 0 ? [] : kind === 1 ? [line(), old] : [line()];
  });
}
