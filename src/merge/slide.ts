/**
 * Where a run of changed lines stands is partly a matter of taste: in `a b a b` with one `a b` taken away, either may be the
 * one. Two people's changes can only be compared when both are placed by one rule. The rule is git's: a run stands as low as
 * it can, joined with the runs it meets; but if on its way it comes next to a change of the other file, it stays there.
 */
export function slideRuns(ids: Int32Array, partners: Int32Array, partnersBack: Int32Array): void {
  const count = ids.length;
  // Sliding back and forth over long repeated stretches can cost their product; placement is not worth that.
  let steps = 64 * (count + 64);

  for (let from = 0; from < count; from++) {
    if (partners[from] !== -1) continue;
    let to = from + 1;
    while (to < count && partners[to] === -1) to++;
    from = place(from, to);
  }

  /** Returns where the run ends once it is placed. */
  function place(first: number, end: number): number {
    let from = first;
    let to = end;
    let highest = to;
    let beside = -1;
    let size = 0;
    while (size !== to - from) {
      size = to - from;
      while (up());
      highest = to;
      beside = besideChange() ? to : -1;
      while (down()) if (besideChange()) beside = to;
    }
    if (to !== highest && beside !== -1) while (to !== beside && up());
    return to;

    function up(): boolean {
      if (from === 0 || ids[from - 1] !== ids[to - 1] || steps-- < 0) return false;
      move(--from, --to);
      while (from > 0 && partners[from - 1] === -1) from--;
      return true;
    }

    function down(): boolean {
      if (to === count || ids[from] !== ids[to] || steps-- < 0) return false;
      move(to++, from++);
      while (to < count && partners[to] === -1) to++;
      return true;
    }

    function besideChange(): boolean {
      const before = from === 0 ? -1 : partners[from - 1]!;
      const after = to === count ? partnersBack.length : partners[to]!;
      return after - before > 1;
    }
  }

  /** Gives the partner of one line to another with the same content. */
  function move(line: number, heir: number): void {
    const partner = partners[line]!;
    partners[line] = -1;
    partners[heir] = partner;
    partnersBack[partner] = heir;
  }
}
