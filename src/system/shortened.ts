/** Texts and lists, cut to what is shown of them. Pure. */

/** At most so many characters; one that was cut ends with "…". */
export function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** The first names; "…" stands for the others. */
export function firstNames(names: readonly string[], most: number): string {
  return (names.length <= most ? names : [...names.slice(0, most), '…']).join(', ');
}
