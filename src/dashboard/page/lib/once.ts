/** Does something that is needed once; what failed is done again. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => {
    begun ??= work().catch((error) => {
      begun = undefined;
      throw error;
    });
    return begun;
  };
}
