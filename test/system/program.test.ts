import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keepOutput, keptText } from '../../src/system/process/kept-output.ts';
import { runProgram } from '../../src/system/process/program.ts';
import { shellFor } from '../../src/system/process/shell.ts';

const parts = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 12 });

test('the beginning and the end are kept, whatever parts they come in', () => {
  fc.assert(
    fc.property(parts, fc.nat(40), (given, limit) => {
      const kept = keepOutput(limit);
      for (const part of given) kept.add(Buffer.from(part));
      const whole = Buffer.concat(given);
      const head = Math.floor(limit / 2);
      const fits = whole.length <= limit;
      const expected = fits
        ? whole
        : Buffer.concat([whole.subarray(0, head), whole.subarray(whole.length - (limit - head))]);
      expect([...kept.bytes()]).toEqual([...expected]);
      expect(kept.leftOut()).toBe(fits ? 0 : whole.length - limit);
    }),
  );
});

test('a byte at a time comes to the same', () => {
  const kept = keepOutput(100_000);
  for (let n = 0; n < 500_000; n++) kept.add(Buffer.from('y'));
  expect(kept.bytes().toString()).toBe('y'.repeat(100_000));
  expect(kept.leftOut()).toBe(400_000);
});

test('no character is cut in two', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'é', '→', '🎉')),
      fc.integer({ min: 8, max: 40 }),
      (letters, limit) => {
        const kept = keepOutput(limit);
        kept.add(Buffer.from(letters.join('')));
        const text = keptText(kept.bytes(), kept.leftOut(), limit);
        expect(text).not.toContain('\ufffd');
        expect(text.includes('left out')).toBe(kept.leftOut() > 0);
      },
    ),
  );
});

test('an endless output takes no more room than it may', async () => {
  const { output, left_out } = await runProgram(shellFor('yes | head -c 50000000'), {
    input: null,
    keep: 100,
  });
  expect(output.toString()).toBe('y\n'.repeat(50));
  expect(left_out).toEqual({ output: 50_000_000 - 100, errors: 0 });
});

test('nothing at all is kept when nothing is wanted', async () => {
  const { output, errors, left_out } = await runProgram(shellFor('echo out; echo no >&2'), {
    input: null,
    keep: 0,
  });
  expect([output.length, errors.length]).toEqual([0, 0]);
  expect(left_out).toEqual({ output: 4, errors: 3 });
});
