/** The TypeScript examples of the papers, made runnable: `expression; // => value` becomes an assertion. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

export interface Example {
  /** "README.md, line 35" */
  readonly name: string;
  readonly file: string;
  readonly code: string;
}

export function examplesIn(file: string): Example[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
    name: `${file}, line ${text.slice(0, match.index).split('\n').length + 1}`,
    file,
    code: match[1]!,
  }));
}

export function asProgram(example: Example, packageUrl: string): string {
  const assertions = example.code.replace(
    /^( *)(.+?); \/\/ => (.+)$/gm,
    (_, indent: string, expression: string, value: string) =>
      `${indent}assert.deepStrictEqual(${expression}, ${value});`,
  );
  const code = assertions.replaceAll("from 'vibe-engine'", `from ${JSON.stringify(packageUrl)}`);
  return `import assert from 'node:assert';\n${code}`;
}
