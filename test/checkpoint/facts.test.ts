import { describe, expect, it } from 'vitest';
import { addMessage, addTool, noFacts } from '../../src/checkpoint/facts/collect.ts';
import type { Message, ToolOutput } from '../../src/checkpoint/record/record.ts';

function factsOf(...texts: string[]) {
  const facts = noFacts();
  for (const content of texts) addMessage(facts, { role: 'assistant', content });
  return facts;
}
function factsOfTool(output: Partial<ToolOutput>) {
  const facts = noFacts();
  addTool(facts, { tool: 'some_tool', output: null, status: 'success', ...output });
  return facts;
}
const list = (facts: ReadonlySet<string>) => [...facts];

describe('paths', () => {
  it.each([
    ['Look at src/main.ts, please.', 'src/main.ts'],
    ['It is in "src/main.ts".', 'src/main.ts'],
    ['Changed `src/deep/er/file.test.tsx`:', 'src/deep/er/file.test.tsx'],
    ['Wrote /etc/nginx/nginx.conf!', '/etc/nginx/nginx.conf'],
    ['under ~/projects/app', '~/projects/app'],
    ['see ./a/b and', './a/b'],
    ['in aa0_0a0/a0a0a.ts', 'aa0_0a0/a0a0a.ts'],
    ['see ../up/x.md.', '../up/x.md'],
    ['at foo (/srv/app/index.js:12:34)', '/srv/app/index.js'],
    ['src/a.ts:10: something', 'src/a.ts'],
    ['--config=conf/app.yaml', 'conf/app.yaml'],
    ['require(lib/x.js).run', 'lib/x.js'],
    ['[the file](docs/guide.md)', 'docs/guide.md'],
    ['**src/bold.ts**', 'src/bold.ts'],
    ['app/(auth)/[id]/page.tsx changed', 'app/(auth)/[id]/page.tsx'],
    ['pages/[...slug].tsx', 'pages/[...slug].tsx'],
    ['data/date=2024-01-01/part-0.parquet', 'data/date=2024-01-01/part-0.parquet'],
    ['node_modules/@scope/pkg/index.d.ts', 'node_modules/@scope/pkg/index.d.ts'],
    ['C:\\Users\\me\\app.ini', 'C:\\Users\\me\\app.ini'],
    ['\\\\server\\share\\x.txt', '\\\\server\\share\\x.txt'],
    ['src\\win\\main.cs', 'src\\win\\main.cs'],
    ['logs are in C:\\work\\logs\\', 'C:\\work\\logs\\'],
    ['opened "/Users/me/My Documents/a b.txt" now', '/Users/me/My Documents/a b.txt'],
    ['cat /Users/me/My\\ Documents/a.txt', '/Users/me/My\\ Documents/a.txt'],
    ['file:///tmp/x.log', '/tmp/x.log'],
    ['the package.json file', 'package.json'],
    ['Edit README.md, then', 'README.md'],
    ['a Makefile and', 'Makefile'],
    ['put it in .env.local', '.env.local'],
    ['src/工具/主要.ts', 'src/工具/主要.ts'],
    ['请修改 src/工具/main.ts。', 'src/工具/main.ts'],
    ['“src/quoted.ts”', 'src/quoted.ts'],
    ['the src/ directory', 'src/'],
    ['icon@2x.png', 'icon@2x.png'],
    [
      '/very/Long2024/MyCompanyName/BackendService/With/Many/Parts',
      '/very/Long2024/MyCompanyName/BackendService/With/Many/Parts',
    ],
    ['/tmp', '/tmp'],
  ])('%s', (text, path) => {
    expect(list(factsOf(text).paths)).toContain(path);
    expect(list(factsOf(text).paths)).toContain(path); // Words that are known by now.
  });

  it.each([
    'Use and/or, yes/no, 1/2 and 24/7.',
    'e.g. this, i.e. that. And so on...',
    'console.log(x.length) and process.env',
    'Content-Type: application/json; text/html',
    '</div> <br/>',
    '// a comment',
    'mail me@example.com',
    'tF9/aB3xY7kQ2mZ8/pL5vC1nD4wE6rT0+uI9oPq/sX',
    'z.string().min(1).optional()',
    'a\\nb \\d+ \\s',
  ])('none in: %s', (text) => expect(list(factsOf(text).paths)).toEqual([]));

  it('keeps links apart', () => {
    const { links, paths } = factsOf('See https://example.com/a/b.html?x=1, and (http://localhost:3000/x).');
    expect(list(links)).toEqual(['https://example.com/a/b.html', 'http://localhost:3000/x']);
    expect(list(paths)).toEqual([]);
  });

  it('takes what stands under the name of a path as it is', () => {
    const input = {
      file_path: 'no ending',
      filePath: 'b',
      path: 'weird name',
      cwd: '/w',
      files: ['x', 'y'],
      outputDir: 'o',
    };
    const { paths } = factsOfTool({ input });
    expect(list(paths)).toEqual(
      expect.arrayContaining(['no ending', 'b', 'weird name', '/w', 'x', 'y', 'o']),
    );
  });
});

describe('commands', () => {
  it.each([
    ['```bash\nnpm ci\n$ npm test -- --run\n```', ['npm ci', 'npm test -- --run']],
    ['```sh\ndocker run \\\n  -it x\n```', ['docker run \\\n  -it x']],
    ['$ ls -la /tmp', ['ls -la /tmp']],
    ['me@host:~/app$ make install', ['make install']],
    ['Run `git rebase -i HEAD~3` now', ['git rebase -i HEAD~3']],
    ['`./scripts/build.sh --fast`', ['./scripts/build.sh --fast']],
    ['`NODE_ENV=test node x.js`', ['NODE_ENV=test node x.js']],
    ['I ran git add . && git commit -m "x"', ['git add . && git commit -m "x"']],
    ['Then npm install left-pad. After that it worked.', ['npm install left-pad']],
  ])('%s', (text, expected) => {
    const found = list(factsOf(text).commands);
    for (const command of expected) expect(found).toContain(command);
  });

  it('takes what tools were told to run', () => {
    expect(list(factsOfTool({ input: { command: 'strange --thing\nsecond line' } }).commands)).toContain(
      'strange --thing\nsecond line',
    );
    expect(list(factsOfTool({ input: { cmd: ['a', 'b c'] } }).commands)).toContain('a b c');
    expect(list(factsOfTool({ input: { command: 'run', args: ['--x', 1] } }).commands)).toContain(
      'run --x 1',
    );
    expect(list(factsOfTool({ tool: 'bash', input: 'odd thing' }).commands)).toContain('odd thing');
  });

  it('takes none from plain prose', () => {
    expect(list(factsOf('We make sure that it works and go on to find the next one.').commands)).toEqual([]);
  });

  it('says how much of a very long one is left out', () => {
    const [command] = list(
      factsOfTool({ input: { command: `cat > x <<E\n${'y'.repeat(20_000)}\nE` } }).commands,
    );
    expect(command).toMatch(/^cat > x <<E\ny+ … \(\d+ more characters\)$/);
  });
});

describe('errors', () => {
  it.each([
    "TypeError: Cannot read properties of undefined (reading 'x')",
    'Error [ERR_MODULE_NOT_FOUND]: Cannot find module',
    'ENOENT: no such file or directory, open a',
    'bash: foo: command not found',
    'main.c:3:5: error: expected expression',
    'src/a.ts(3,5): error TS2304: Cannot find name',
    'error[E0382]: borrow of moved value',
    'npm ERR! code 1',
    'FAIL test/a.test.ts',
    '  ✗ does the thing',
    'Tests: 3 failed, 10 passed',
    'Process exited with code 2',
    'java.lang.NullPointerException: null',
    'Traceback (most recent call last):',
    'fatal: not a git repository',
    'HTTP/1.1 503 Service Unavailable',
    '构建失败：缺少依赖',
  ])('in the output of a tool that succeeded: %s', (line) => {
    const { errors } = factsOfTool({ output: `all is well\n${line}\nmore of it` });
    expect(list(errors)).toContain(line.trim());
    expect(list(errors)).not.toContain('all is well');
  });

  it.each(['It crashed again.', 'That could not be resolved.', 'The build broke.', 'Access was denied.'])(
    'in what is said: %s',
    (line) => expect(list(factsOf(`First.\n${line}\nLast.`).errors)).toEqual([line]),
  );

  it('takes no source code for errors', () => {
    const output = 'class FooError extends Error {}\ncatch (error: unknown) {\n  throw new FooError(x);\n}';
    expect(list(factsOfTool({ output }).errors)).toEqual([]);
  });

  it('keeps what a failed tool said, whatever it was', () => {
    expect(list(factsOfTool({ status: 'error', output: 'quota used up' }).errors)).toEqual(['quota used up']);
    expect(list(factsOfTool({ status: 'error', output: { detail: 'gone' } }).errors)).toEqual([
      'some_tool failed.',
      'gone',
    ]);
    expect(list(factsOfTool({ output: { stderr: 'odd remark' } }).errors)).toEqual(['odd remark']);
    expect(list(factsOfTool({ output: { exit_code: 3, stdout: 'hm' } }).errors)).toContain('hm');
    expect(list(factsOfTool({ status: 'error', output: new RangeError('too far') }).errors)).toContain(
      'RangeError: too far',
    );
    expect(list(factsOfTool({ status: 'unknown' }).errors)).toEqual([
      'some_tool was cut off: what it did is not known.',
    ]);
  });

  it('reads through the colours of a terminal', () => {
    expect(list(factsOfTool({ output: '\u001b[31merror\u001b[0m: broken pipe' }).errors)).toEqual([
      'error: broken pipe',
    ]);
  });

  it('cuts a line without end down to what is around the error', () => {
    const [error] = list(
      factsOfTool({ output: `${'x'.repeat(5_000)} TypeError: bad ${'y'.repeat(5_000)}` }).errors,
    );
    expect(error).toContain('TypeError: bad');
    expect(error!.length).toBeLessThan(1_000);
  });
});

describe('decisions', () => {
  it.each([
    ['It is late. We decided to use SQLite for this. Next.', 'We decided to use SQLite for this.'],
    ['Decision: keep v1.2. It is enough.', 'Decision: keep v1.2. It is enough.'],
    ["I'll go with the second approach", "I'll go with the second approach"],
    ['Hm. Use pnpm instead of npm!', 'Use pnpm instead of npm!'],
    ['我们决定使用 SQLite。然后继续。', '我们决定使用 SQLite。'],
  ])('%s', (text, decision) => expect(list(factsOf(text).decisions)).toContain(decision));

  it('takes the demands of a person', () => {
    const facts = noFacts();
    const message: Message = { role: 'user', content: 'Nice day. Never touch the migrations. Thanks.' };
    addMessage(facts, message);
    expect(list(facts.decisions)).toEqual(['Never touch the migrations.']);
    expect(facts.request).toBe(message.content);
  });
});

describe('content in blocks', () => {
  it('is looked through whole', () => {
    const facts = noFacts();
    addMessage(facts, {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I chose plan B.' },
        { type: 'tool_use', name: 'edit', input: { file_path: 'odd', command: 'do it' } },
        { type: 'tool_result', is_error: true, content: [{ type: 'text', text: 'no luck' }] },
      ],
    });
    expect(list(facts.decisions)).toContain('I chose plan B.');
    expect(list(facts.paths)).toContain('odd');
    expect(list(facts.commands)).toContain('do it');
    expect(list(facts.errors)).toContain('no luck');
  });
});
