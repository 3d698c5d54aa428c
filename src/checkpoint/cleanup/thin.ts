/**
 * Which of a task's checkpoints are removed so that at most `limit` are left; applied whenever one is added. The first and
 * the last stay; between them those whose number is a multiple of `sample_every`, of twice that, of four times that, until
 * the limit holds. Numbers are in ascending order; `limit` is at least 2.
 */
export function thin(sequences: readonly number[], limit: number, sample_every: number): number[] {
  if (sequences.length <= limit) return [];
  const between = sequences.slice(1, -1);
  let stride = sample_every;
  let staying = between.filter((sequence) => sequence % stride === 0);
  while (staying.length + 2 > limit) {
    stride *= 2;
    staying = staying.filter((sequence) => sequence % stride === 0);
  }
  const stays = new Set(staying);
  return between.filter((sequence) => !stays.has(sequence));
}
