/** Working on what is read in parts. */

/** All of a part, turned into something else, as one part; if that fails at one of them, those before it come first. */
export function* eachBefore<A, B>(part: readonly A[], turn: (one: A) => B | undefined): Generator<B[]> {
  const turned: B[] = [];
  try {
    for (const one of part) {
      const made = turn(one);
      if (made !== undefined) turned.push(made);
    }
  } catch (error) {
    if (turned.length > 0) yield turned;
    throw error;
  }
  if (turned.length > 0) yield turned;
}
