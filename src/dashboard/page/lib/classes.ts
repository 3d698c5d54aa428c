/** Names of classes as one attribute; those that do not apply are left out. */
export const classes = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ');
