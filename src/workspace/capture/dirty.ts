/** Where to look again. */

/** Names to look at, by directory; true where the name itself came, went or was replaced. */
export type Dirty = ReadonlyMap<string, ReadonlyMap<string, boolean>>;
