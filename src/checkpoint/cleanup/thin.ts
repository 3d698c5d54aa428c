/**
 * Which of a task's checkpoints are removed so that at most `limit` are left; applied whenever one is added. The first and
 * the last stay; between them those whose number is a multiple of `sample_every`, of twice that, of four times that, until
 * the limit holds. Numbers are in ascending order; `limit` is at least 2.
 */
export function thin(sequences: readonly number[], limit: number, sample_every: number): number[] {
  if (sequences.length <= limit) return [];
  const between = sequences.slice(1, -1);
  let stride = sample_every;
  while (multiplesIn(between, stride) + 2 > limit) stride *= 2;
  return between.filter((sequence) => sequence % stride !== 0);
}

function multiplesIn(numbers: readonly number[], stride: number): number {
  let count = 0;
  for (const number of numbers) if (number % stride === 0) count += 1;
  return count;
}
