/** What the sources say to people, found in their syntax trees: the templates of phrase`…`, and prose that lacks the tag. */
import { parseAst } from 'rolldown/parseAst';
import type { Source } from './sources.ts';

export interface Found {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Every template of phrase`…` with letters in it. `${n === 1 ? 'file' : 'files'}` makes two of it. */
export function templatesIn(source: Source): Found[] {
  const found: Found[] = [];
  visit(tree(source), (node) => {
    if (!isTagged(node)) return;
    for (const parts of variants(node.quasi as Node)) {
      const text = numbered(parts);
      if (/\p{L}/u.test(text.replace(/\{\d+\}/g, ''))) found.push({ ...place(source, node), text });
    }
  });
  return found;
}

/** Prose that is not tagged. */
export function untaggedIn(source: Source): Found[] {
  return untaggedNodes(tree(source)).map((node) => ({ ...place(source, node), text: literalText(node)! }));
}

export function untaggedNodes(root: Node): Node[] {
  const found: Node[] = [];
  const covered = new Set<Node>();
  visit(root, (node, parent) => {
    if (isTagged(node)) cover(node.quasi as Node, covered);
    if (NEVER_SHOWN.has(node.type) || (parent && isNeverShown(node, parent))) return SKIP;
    const text = literalText(node);
    if (text === null || covered.has(node) || !isProse(text, parent)) return undefined;
    cover(node, covered);
    found.push(node);
    return undefined;
  });
  return found;
}

/** What `variants` makes part of the template. */
function cover(node: Node, covered: Set<Node>): void {
  covered.add(node);
  if (node.type === 'TemplateLiteral')
    for (const one of node.expressions as Node[])
      if (one.type === 'ConditionalExpression') cover(one, covered);
  if (node.type === 'ConditionalExpression')
    for (const one of [node.consequent, node.alternate] as Node[]) cover(one, covered);
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const SKIP = Symbol('skip');

export function tree(source: Pick<Source, 'text'>): Node {
  return parseAst(source.text, { lang: 'ts' }) as unknown as Node;
}

export function visit(
  node: Node,
  see: (node: Node, parent: Node | null) => unknown,
  parent: Node | null = null,
): void {
  if (see(node, parent) === SKIP) return;
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see, node);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const isTagged = (node: Node): boolean =>
  node.type === 'TaggedTemplateExpression' && (node.tag as { name?: string }).name === 'phrase';

/** Literal text, or null where a value stands. */
type Part = string | null;

function variants(node: Node): Part[][] {
  if (isTagged(node)) return variants(node.quasi as Node);
  if (node.type === 'Literal' && typeof node.value === 'string') return [[node.value]];
  if (node.type === 'ConditionalExpression')
    return [...variants(node.consequent as Node), ...variants(node.alternate as Node)];
  if (node.type !== 'TemplateLiteral') return [[null]];
  const quasis = node.quasis as { value: { cooked: string } }[];
  return (node.expressions as Node[]).reduce<Part[][]>(
    (before, expression, at) =>
      before.flatMap((parts) =>
        variants(expression).map((more) => [...parts, ...more, quasis[at + 1]!.value.cooked]),
      ),
    [[quasis[0]!.value.cooked]],
  );
}

function numbered(parts: readonly Part[]): string {
  let count = 0;
  return parts.map((part) => part ?? `{${count++}}`).join('');
}

function literalText(node: Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type !== 'TemplateLiteral') return null;
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('{}');
}

/** A sentence, or the words that stand where people will read them. */
function isProse(text: string, parent: Node | null): boolean {
  if (!/\p{L}{2,}[,;:]? (\p{L}+|\{\})/u.test(text)) return false;
  return /^\p{Lu}\p{Ll}*['’]?\p{Ll}* [^\n]*[.!?]$/u.test(text) || (parent !== null && isShown(parent));
}

/** `new …Error(`, `notify(`, `hint:`, `message:`. */
function isShown(parent: Node): boolean {
  const named = (node: unknown) => (node as { name?: string }).name ?? '';
  if (parent.type === 'NewExpression') return /Error$/.test(named(parent.callee));
  return parent.type === 'Property' && /^(hint|message)$/.test(named(parent.key));
}

const NEVER_SHOWN = new Set(['ImportDeclaration', 'TSLiteralType']);

function isNeverShown(node: Node, parent: Node): boolean {
  if (parent.type === 'BinaryExpression') return ['===', '!=='].includes(parent.operator as string);
  if (parent.type === 'SwitchCase') return node === parent.test;
  return parent.type === 'Property' && node === parent.key;
}

function place({ path, text }: Source, { start }: Node): Pick<Found, 'path' | 'line'> {
  return { path, line: text.slice(0, start).split('\n').length };
}
