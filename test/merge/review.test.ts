import { describe, expect, test } from 'vitest';
import { mergeText } from '../../src/merge/text.ts';

const base = `${['first()', 'second()', 'third()', 'fourth()', 'fifth()'].join('\n')}\n`;
const behind = (line: string, block: string) => base.replace(`${line}\n`, `${line}\n${block}`);
const block = "test('escapes HTML', () => {\n  check(render('<b>'));\n});\n";

describe('a block both sides added at places that do not touch', () => {
  test('is there twice and flagged', () => {
    const merge = mergeText(base, behind('second()', block), behind('fourth()', block));
    expect(merge.outcome).toBe('clean');
    expect(Buffer.from(merge.bytes).toString().split(block)).toHaveLength(3);
    expect(merge.review).toEqual([
      { kind: 'added twice', ours: { from: 2, to: 5 }, theirs: { from: 4, to: 7 }, shared: 2 },
    ]);
  });

  test('is flagged also where it was indented or changed a little', () => {
    const other = block.replace(/^/gm, '  ').replace('});', '  done();\n});');
    expect(mergeText(base, behind('second()', block), behind('fourth()', other)).review).toHaveLength(1);
  });

  test('is flagged when half of the smaller block is in the other, not for less', () => {
    const ours = behind('second()', 'alpha()\nbeta()\n');
    expect(mergeText(base, ours, behind('fourth()', 'beta()\ngamma()\n')).review).toMatchObject([
      { shared: 1 },
    ]);
    const more = behind('second()', 'alpha()\nbeta()\ndelta()\n');
    expect(mergeText(base, more, behind('fourth()', 'beta()\ngamma()\nother()\n')).review).toEqual([]);
  });

  test('is no matter where it came to stand once', () => {
    expect(mergeText(base, behind('second()', block), behind('second()', block)).review).toEqual([]);
  });
});

describe('no flag', () => {
  test('for blocks that share only what the file is full of', () => {
    const ours = behind('second()', 'third()\nalpha()\n');
    const theirs = behind('fourth()', 'third()\nbeta()\n');
    expect(mergeText(base, ours, theirs)).toMatchObject({ outcome: 'clean', review: [] });
  });

  test('for braces and blanks', () => {
    expect(mergeText(base, behind('first()', '}\n\n'), behind('fourth()', '}\n\n'))).toMatchObject({
      outcome: 'clean',
      review: [],
    });
  });

  test('for a block one side moved', () => {
    const moved = `${['third()', 'first()', 'second()', 'fourth()', 'fifth()'].join('\n')}\n`;
    expect(mergeText(base, moved, `${base}sixth()\n`).review).toEqual([]);
  });
});
