/** The steps of the damaged task, and what comes of each. */
export const large = (name: string, before: string): string =>
  `${name}<${before.slice(0, 80)}>${name.repeat(700)}`;

export const STEPS: readonly string[] = Array.from({ length: 10 }, (_, n) => `s${n}`);

export function resultOf(name: string, before: string): string {
  return Number(name.slice(1)) % 3 === 1 ? large(name, before) : `${name}<${before.slice(0, 80)}>`;
}
