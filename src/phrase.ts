/**
 * Marks what a person will read: an error's message and hint, a notice, a question, a reason.
 *
 * It makes the English sentence and nothing more, so that libraries, logs and stores have plain strings. With its values
 * taken out the sentence is the key of its translations (`src/verbs/text/said/`), and by it the command line finds again
 * which values a sentence was made with, also in one that another process stored long ago.
 */
export function phrase(parts: TemplateStringsArray, ...values: readonly unknown[]): string {
  return parts.reduce((said, part, at) => `${said}${shown(values[at - 1])}${part}`);
}

/** The first of these, and how many more there are. */
export function firstNames(names: readonly string[], most = 8): string {
  const more = names.length - most;
  const first = names.slice(0, most);
  return more > 0 ? phrase`${first} and ${more} more` : first.join(', ');
}

const shown = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));
