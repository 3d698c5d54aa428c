import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mergeText } from '../../src/merge/text.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { commandResolver, promptResolver, toolResolver } from '../../src/workspace/resolve/command.ts';
import type { ConflictedFile } from '../../src/workspace/resolve/conflicted-file.ts';
import { summariseChange } from '../../src/workspace/resolve/intent.ts';
import { resolverPrompt } from '../../src/workspace/resolve/prompt.ts';
import { recordedFor, recordResolutions, resolutionsIn } from '../../src/workspace/resolve/recorded.ts';
import { type Resolver, resolveFile } from '../../src/workspace/resolve/resolver.ts';
import { suggestFor } from '../../src/workspace/resolve/suggest.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const text = (content: Uint8Array) => Buffer.from(content).toString();

function conflicted(path: string, base: string, ours: string, theirs: string): ConflictedFile {
  const merge = mergeText(base, ours, theirs);
  expect(merge.outcome).toBe('conflict');
  return {
    path,
    base: bytes(base),
    ours: bytes(ours),
    theirs: bytes(theirs),
    merge,
    suggestions: suggestFor(merge.conflicts),
    agent_intent: 'raise the limit',
    inferred_external_intent: 'name the limit',
  };
}

const LIMIT = conflicted(
  'limit.ts',
  'const a = 1;\nlet b;\n',
  'const a = 2;\nlet b;\n',
  'const LIMIT = 1;\nlet b;\n',
);
const answering = (name: string, answer: string | null): Resolver => ({
  name,
  resolve: async () => (answer === null ? null : bytes(answer)),
});

test('the first answer that stands up to the checks is taken, and the others are told why not', async () => {
  const broken: Resolver = {
    name: 'broken',
    resolve: () => Promise.reject(new Error('no model')),
  };
  const chain = [
    broken,
    answering('silent', null),
    answering('copier', text(LIMIT.merge.bytes)),
    answering('careless', 'const LIMIT = ;\nlet b;\n'),
    answering('eraser', ''),
    answering('good', 'const LIMIT = 2;\nlet b;\n'),
    answering('late', 'const LIMIT = 3;\nlet b;\n'),
  ];
  const answer = await resolveFile(LIMIT, chain);
  expect(answer).toMatchObject({ resolved: true, by: 'good' });
  expect(answer.attempts.map(({ by, complaints }) => [by, complaints])).toEqual([
    ['broken', []],
    ['silent', []],
    ['copier', ['markers left', 'does not parse']],
    ['careless', ['does not parse']],
    ['eraser', ['nothing left']],
  ]);
  expect(answer.attempts[0]!.error).toMatchObject({ message: 'no model' });
});

test('an answer that ends lines otherwise than both sides is not taken', async () => {
  const file = conflicted('a.txt', 'one\r\n2\r\n', 'ours\r\n2\r\n', 'theirs\r\n2\r\n');
  const answer = await resolveFile(file, [
    answering('unix', 'both\n2\n'),
    answering('mixed', 'both\r\n2\n'),
    answering('same', 'both\r\n2\r\n'),
  ]);
  expect(answer).toMatchObject({ resolved: true, by: 'same' });
  expect(answer.attempts.map(({ complaints }) => complaints)).toEqual([
    ['line endings changed'],
    ['line endings changed'],
  ]);
  const mixed = conflicted('a.txt', 'one\r\n2\n', 'ours\r\n2\n', 'theirs\r\n2\n');
  expect(await resolveFile(mixed, [answering('any', 'both\n2\n')])).toMatchObject({ resolved: true });
});

test('nobody knows an answer', async () => {
  expect(await resolveFile(LIMIT, [answering('silent', null)])).toMatchObject({ resolved: false });
});

test('a file that shows markers on purpose may go on showing them', async () => {
  const shown = '<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n';
  const file = conflicted('guide.md', `${shown}1\n`, `${shown}2\n`, `${shown}3\n`);
  expect(await resolveFile(file, [answering('person', `${shown}23\n`)])).toMatchObject({ resolved: true });
  expect(await resolveFile(file, [answering('person', text(file.merge.bytes))])).toMatchObject({
    resolved: false,
  });
});

test('what does not parse is taken where a side did not parse either', async () => {
  const file = conflicted('broken.json', '{"a": 1}\n', '{"a": 2\n', '{"a": 3}\n');
  expect(await resolveFile(file, [answering('person', '{"a": 2,\n')])).toMatchObject({ resolved: true });
});

test('the prompt has both versions, both intents, and the request', () => {
  const prompt = resolverPrompt(LIMIT);
  expect(prompt).toMatch(/^This file has a merge conflict; choose the best resolution\./);
  expect(prompt).toContain(
    "<<<<<<< OURS (the agent's change)\nconst a = 2;\n=======\nconst LIMIT = 1;\n>>>>>>> THEIRS (the outside change)",
  );
  expect(prompt).toContain('What the agent intends: raise the limit');
  expect(prompt).toContain('What the outside change probably intends: name the limit');
});

test('a command reads the prompt and writes the file', async () => {
  const script = join(tempDir(), 'model.mjs');
  writeFileSync(
    script,
    `let prompt = ''; for await (const part of process.stdin) prompt += part;
     if (!prompt.includes('raise the limit')) process.exit(1);
     console.log('\`\`\`ts\\nconst LIMIT = 2;\\nlet b;\\n\`\`\`');`,
  );
  const answer = await resolveFile(LIMIT, [commandResolver([process.execPath, script])]);
  expect(answer).toMatchObject({ resolved: true, by: process.execPath });
  expect(answer.resolved && text(answer.bytes)).toBe('const LIMIT = 2;\nlet b;\n');
  expect(await resolveFile(LIMIT, [commandResolver(['ve-no-such-program'])])).toMatchObject({
    resolved: false,
  });
});

test('a command that never ends is ended', async () => {
  const sleepy = commandResolver([process.execPath, '-e', 'setInterval(() => {}, 1000)'], 200);
  expect(await resolveFile(LIMIT, [sleepy])).toMatchObject({ resolved: false });
});

test('a function is given the prompt', async () => {
  const model = promptResolver('model', async (prompt) =>
    prompt.includes('limit.ts') ? 'const LIMIT = 2;\nlet b;\n' : null,
  );
  expect(await resolveFile(LIMIT, [model])).toMatchObject({ resolved: true, by: 'model' });
});

test('a merge tool is given files and leaves its answer in one', async () => {
  const script = join(tempDir(), 'tool.mjs');
  writeFileSync(
    script,
    `import { copyFileSync } from 'node:fs'; const [ours, merged] = process.argv.slice(2);
     if (!merged.endsWith('.ts')) process.exit(1); copyFileSync(ours, merged);`,
  );
  const tool = toolResolver([process.execPath, script, '{ours}', '{merged}']);
  const answer = await resolveFile(LIMIT, [tool]);
  expect(answer.resolved && text(answer.bytes)).toBe(text(LIMIT.ours));
});

test('what was resolved once is offered again, whichever side is called ours', async () => {
  const storage = await openSqliteStorage({ path: join(tempDir(), 'store.db') });
  expect(await recordResolutions(storage, LIMIT.merge, bytes('const LIMIT = 2;\nlet b;\n'))).toBe(1);
  const swapped = mergeText(
    'x\nconst a = 1;\nlet c;\n',
    'x\nconst LIMIT = 1;\nlet c;\n',
    'x\nconst a = 2;\nlet c;\n',
  );
  const offered = await recordedFor(storage, swapped);
  expect(offered).toMatchObject([{ conflict: 0, by: 'recorded' }]);
  expect(text(offered[0]!.bytes)).toBe('const LIMIT = 2;\n');
  await storage.close();
});

test('an answer that also changed what was settled tells nothing of single conflicts', () => {
  expect(resolutionsIn(LIMIT.merge, bytes('const LIMIT = 2;\nlet c;\n'))).toEqual([]);
});

test('suggestions: both additions, and the words where the other side only moved white space', () => {
  const added = mergeText('a\n', 'a\nours\n', 'a\ntheirs\n');
  expect(suggestFor(added.conflicts).map(({ by, bytes }) => [by, text(bytes)])).toEqual([
    ['both added', 'ours\ntheirs\n'],
  ]);
  const moved = mergeText('if (a) b;\n', '  if (a) b;\n', 'if (a) c;\n');
  expect(suggestFor(moved.conflicts).map(({ by, bytes }) => [by, text(bytes)])).toEqual([
    ['whitespace', 'if (a) c;\n'],
  ]);
});

test('a change without commits is told by what it does', () => {
  expect(summariseChange(bytes('a\nb\nc\n'), bytes('a\nB\nc\n'))).toBe(
    'adds 1 lines and removes 1\n- b\n+ B',
  );
});
