/**
 * Texts that look like secrets: keys and tokens by the forms their makers give them, private keys, passwords in addresses
 * and in what is assigned to a name that says so. Only likely ones: random-looking text, and code that creates a secret, are
 * left alone.
 */

/** Group 1, if any, stays readable. Unbounded repetitions are limited, so that time is linear in the text. */
const FORMS = [
  String.raw`(-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)(?!•)[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)`,
  String.raw`\b((?:sk|rk)-(?:ant-|proj-|or-)?)[A-Za-z0-9_-]{20,}`,
  String.raw`\b((?:sk|rk|pk)_(?:live|test)_)[A-Za-z0-9]{16,}`,
  String.raw`\b(gh[pousr]_|github_pat_)[A-Za-z0-9_]{30,}`,
  String.raw`\b(glpat-|npm_|hf_|pypi-)[A-Za-z0-9_-]{20,}`,
  String.raw`\b(xox[abeprs]-)[A-Za-z0-9-]{10,}`,
  String.raw`\b(AKIA|ASIA)[0-9A-Z]{16}\b`,
  String.raw`\b(AIza)[0-9A-Za-z_-]{35}`,
  String.raw`\b(eyJ)[A-Za-z0-9_-]{10,600}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
  String.raw`(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,100}:)[^\s@/]{3,200}(?=@)`,
  String.raw`((?:password|passwd|secret|token|api_?key|access_?key)\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}["']?)(?![\w.$]{1,100}[([])(?=[^\s"',;\\]{0,100}[0-9])[^\s"',;\\]{12,}`,
] as const;

const NAMED_GROUPS = FORMS.map((form, i) => form.replace('(', `(?<kept${i}>`));
const ANY = new RegExp(NAMED_GROUPS.join('|'), 'gi');
/** Without one of these, in lower case, there is none of the forms: most texts are told by this alone. */
const HINT =
  /private key|[sr]k-|[srp]k_|gh[pousr]_|github_pat|glpat-|npm_|hf_|pypi-|xox|akia|asia|aiza|eyj|:\/\/|passw|secret|token|api_?key|access_?key/;

export const MASK = '••••••';

export function hasSecret(text: string): boolean {
  if (!mayHaveSecret(text)) return false;
  ANY.lastIndex = 0;
  return ANY.test(text);
}

/**
 * The text with every likely secret masked, except for the part that says what it is. With a name, also if only the name
 * says so, as in `{ "password": "…" }`.
 */
export function maskSecrets(text: string, name = ''): string {
  return replaceSecrets(text, () => MASK, name);
}

/** The same with another replacement for each; masked text is not a secret. */
export function replaceSecrets(text: string, by: (secret: string) => string, name = ''): string {
  const replaced = replaceIn(text, by);
  if (name === '' || replaced !== text) return replaced;
  const shown = `${name}: `;
  const named = replaceIn(shown + text, by);
  return named.startsWith(shown) ? named.slice(shown.length) : text;
}

function replaceIn(text: string, by: (secret: string) => string): string {
  if (!mayHaveSecret(text)) return text;
  return text.replace(ANY, (found: string, ...given) => {
    const groups = given.at(-1) as Record<string, string | undefined>;
    const kept = Object.values(groups).find((part) => part !== undefined) ?? '';
    const secret = found.slice(kept.length);
    return secret.startsWith(MASK) ? found : `${kept}${by(secret)}`;
  });
}

/** A quick check without false negatives. In lower case: a search that ignores case takes four times as long. */
export function mayHaveSecret(text: string): boolean {
  return HINT.test(text.toLowerCase());
}
