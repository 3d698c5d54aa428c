/**
 * Marks text that a person will read: the message and hint of an error, a notice, a question, a reason.
 *
 * It returns the English sentence and nothing more, so that libraries, logs and stores have plain strings. The sentence
 * without its values is the key of its translations (`src/verbs/text/said/`); with it the command line can also recover the
 * values from a sentence that another process stored long ago.
 */
export function phrase(parts: TemplateStringsArray, ...values: readonly unknown[]): string {
  return parts.reduce((said, part, at) => `${said}${shown(values[at - 1])}${part}`);
}

/** The first few of these, and how many more there are. */
export function firstNames(names: readonly string[], most = 8): string {
  const more = names.length - most;
  const first = names.slice(0, most);
  return more > 0 ? phrase`${first} and ${more} more` : first.join(', ');
}

const shown = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));
