/** The result of a step, as one readable line: without the quotes and braces of JSON. It may be cut off anywhere. Pure. */

export function readable(result: string): string {
  const [, code, said = ''] = COMMAND.exec(result) ?? [];
  if (code !== undefined) return [code === '0' ? '' : `(${code})`, unquoted(said)].join(' ').trim();
  if (WRITTEN.test(result)) return ''; // The step is named after the file.
  return /^[{[]/.test(result) ? plainly(result) : result;
}

/** Of `task.shell`: what it printed, and its exit code where that is not 0. */
const COMMAND = /^\{"code":(\d+),"signal":null,"stdout":"((?:[^"\\]|\\.)*)/;
/** Of `task.files`. */
const WRITTEN = /^\{"path":".*","hash":("[0-9a-f]*|null)/;

/** Braces stay where something lies within something: otherwise a list in an object would look like more of the object. */
function plainly(json: string): string {
  let depth = 0;
  let text = '';
  for (const [token, inner] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') text += depth++ === 0 ? '' : token === '{' ? '(' : '[';
    else if (token === '}' || token === ']') text += --depth === 0 ? '' : token === '}' ? ')' : ']';
    else if (token === ',' || token === ':') text += `${token} `;
    else text += inner === undefined ? token : unquoted(inner);
  }
  return text.trim();
}
const TOKENS = /"((?:[^"\\]|\\.)*)"?|[{}[\],:]|[^\s"{}[\],:]+/g;

function unquoted(inner: string): string {
  try {
    return (JSON.parse(`"${inner}"`) as string).replace(/\s+/g, ' ');
  } catch {
    return inner; // Cut in the middle of an escape.
  }
}
