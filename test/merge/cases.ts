/** Files as people and programs write them, and what two sides make of them, from a seed. */
export interface MergeCase {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/** A number from 0 up to, not including, the limit. */
export type Draw = (limit: number) => number;

export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  };
}

/** Lines found many times in any source. */
const COMMON = ['', '}', '  }', '    return;', '});', '  else {', '*/', '<br>'];

export function makeCase(draw: Draw): MergeCase {
  const newline = draw(6) === 0 ? '\r\n' : '\n';
  const fewKinds = draw(5) === 0;
  const line = () => {
    if (draw(3) === 0) return COMMON[draw(COMMON.length)]!;
    return `${'  '.repeat(draw(3))}call${fewKinds ? draw(12) : draw(5_000)}(x);`;
  };
  const base = Array.from({ length: draw(120) }, line);
  const ours = edited(base, line, draw);
  // Now and then both sides make some of the same changes.
  const theirs = edited(draw(8) === 0 ? ours : base, line, draw);
  const write = (lines: readonly string[]) => {
    const mixed = draw(20) === 0;
    const end = draw(8) === 0 ? '' : newline;
    const text = lines.map((text) => text + (mixed && draw(3) === 0 ? '\n' : newline)).join('');
    return Buffer.from(text.slice(0, text.length - newline.length) + (lines.length === 0 ? '' : end));
  };
  return { base: write(base), ours: write(ours), theirs: write(theirs) };
}

function edited(lines: readonly string[], line: () => string, draw: Draw): string[] {
  const result = [...lines];
  for (let edits = 1 + draw(4); edits > 0; edits--) {
    const at = draw(result.length + 1);
    const block = Array.from({ length: draw(5) }, line);
    const kind = draw(4);
    if (kind === 0) result.splice(at, 0, ...block);
    else if (kind === 1) result.splice(at, 1 + draw(4));
    else if (kind === 2) result.splice(at, 1 + draw(3), ...block);
    // A block copied or moved: what makes lines ambiguous.
    else
      result.splice(
        at,
        0,
        ...result.splice(draw(result.length + 1), draw(2) * draw(6)),
        ...result.slice(at, at + draw(6)),
      );
  }
  return result;
}
