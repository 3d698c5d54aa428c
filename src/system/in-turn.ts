/** One piece of work after the other. */

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Each begins when the one before has ended, even if that failed. */
export function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {}); // Its caller has the error.
    return next;
  };
}
