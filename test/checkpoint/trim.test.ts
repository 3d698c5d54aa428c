import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Summariser, type SummaryInput, summarise } from '../../src/checkpoint/context/summary.ts';
import { type ContextEntry, createTrimmer, type TrimSettings } from '../../src/checkpoint/context/trim.ts';
import type { CheckpointContext, Decision, Message, ToolOutput } from '../../src/checkpoint/record/record.ts';

const SETTINGS = { keep_messages: 50, keep_tool_outputs: 5 };
const message = (content: unknown, role: Message['role'] = 'assistant'): Message => ({ role, content });
const output = (text: unknown): ToolOutput => ({ tool: 'read', output: text, status: 'success' });
const many = <T>(count: number, make: (number: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const nothing: CheckpointContext = { messages: [], tool_outputs: [], decisions: [] };

async function trimAll(entries: readonly ContextEntry[], settings = SETTINGS): Promise<CheckpointContext> {
  const trimmer = createTrimmer(settings);
  for (const entry of entries) await trimmer.add(entry);
  return trimmer.finish();
}

describe('trimming', () => {
  it('leaves a context that is within the limits as it is', async () => {
    const context = {
      messages: many(50, message),
      tool_outputs: many(5, output),
      decisions: [{ what: 'x' }],
    };
    expect(await trimContext(context, SETTINGS)).toEqual(context);
    expect(await trimContext(nothing, SETTINGS)).toEqual(nothing);
  });

  it('keeps the last 50 messages and 5 tool outputs whole, and puts one summary in front', async () => {
    const context = {
      messages: many(120, (n) => message(`m${n}`)),
      tool_outputs: many(9, (n) => output(`o${n}`)),
      decisions: [],
    };
    const before = structuredClone(context);
    const trimmed = await trimContext(context, SETTINGS);
    expect(trimmed.messages).toHaveLength(51);
    expect(trimmed.messages[0]).toMatchObject({
      role: 'summary',
      content: expect.stringContaining('70 earlier messages and 4 earlier tool outputs'),
    });
    trimmed.messages.slice(1).forEach((kept, index) => void expect(kept).toBe(context.messages[70 + index]));
    trimmed.tool_outputs.forEach((kept, index) => void expect(kept).toBe(context.tool_outputs[4 + index]));
    expect(context).toEqual(before);
  });

  it('summarises tool outputs also where no message is too many', async () => {
    const trimmed = await trimContext(
      { ...nothing, tool_outputs: many(7, (n) => output(`wrote out/file${n}.ts`)) },
      SETTINGS,
    );
    expect(trimmed.messages).toHaveLength(1);
    expect(trimmed.messages[0]!.content).toContain('out/file1.ts');
    expect(trimmed.messages[0]!.content).not.toContain('out/file2.ts');
  });

  it('can keep nothing whole', async () => {
    const context = { ...nothing, messages: [message('src/only.ts')], tool_outputs: [output('out/only.ts')] };
    const trimmed = await trimContext(context, { keep_messages: 0, keep_tool_outputs: 0 });
    expect(trimmed.tool_outputs).toEqual([]);
    expect(trimmed.messages.map(({ role }) => role)).toEqual(['summary']);
    expect(trimmed.messages[0]!.content).toMatch(/out\/only\.ts\n- src\/only\.ts/);
  });

  it('keeps every decision, and repeats in the summary those older than what was trimmed', async () => {
    const entries: ContextEntry[] = [
      { kind: 'decision', value: { what: 'early bird', why: 'worms', alternatives: ['sleep'] } },
      { kind: 'message', value: message('old') },
      { kind: 'decision', value: { what: 'late owl' } },
      ...many(2, (n): ContextEntry => ({ kind: 'message', value: message(`new ${n}`) })),
    ];
    const trimmed = await trimAll(entries, { keep_messages: 2, keep_tool_outputs: 5 });
    expect(trimmed.decisions.map(({ what }) => what)).toEqual(['early bird', 'late owl']);
    expect(trimmed.messages[0]!.content).toContain('- early bird (worms); not: sleep');
    expect(trimmed.messages[0]!.content).not.toContain('late owl');
  });

  it('loses nothing of an earlier summary', async () => {
    const first = await trimContext(
      { ...nothing, messages: [message('in src/first.ts'), ...many(3, (n) => message(`a${n}`))] },
      { ...SETTINGS, keep_messages: 3 },
    );
    const second = await trimContext(
      { ...first, messages: [...first.messages, ...many(3, (n) => message(`b${n}`))] },
      { ...SETTINGS, keep_messages: 3 },
    );
    expect(second.messages[0]!.content).toContain('src/first.ts');
  });

  it('dates the summary as the newest it covers', async () => {
    const messages = many(
      3,
      (n): Message => ({ role: 'user', content: 'x', at: `2026-01-0${n + 1}T00:00:00.000Z` }),
    );
    const trimmed = await trimContext({ ...nothing, messages }, { ...SETTINGS, keep_messages: 1 });
    expect(trimmed.messages[0]!.at).toBe('2026-01-02T00:00:00.000Z');
  });
});

describe("a user's summariser", () => {
  it('is given exactly what is trimmed, and may take its time', async () => {
    const given: SummaryInput[] = [];
    const summariser = async (input: SummaryInput) => {
      given.push(input);
      return 'in short';
    };
    const context = { messages: many(4, message), tool_outputs: many(3, output), decisions: [{ what: 'd' }] };
    const trimmed = await trimContext(context, { keep_messages: 3, keep_tool_outputs: 1 }, summariser);
    expect(given).toEqual([
      { messages: [message(0)], tool_outputs: [output(0), output(1)], decisions: [{ what: 'd' }] },
    ]);
    expect(trimmed.messages[0]).toEqual({ role: 'summary', content: 'in short' });
  });

  it('is not asked where nothing is trimmed', async () => {
    const never = () => {
      throw new Error('asked');
    };
    expect(
      (await trimContext({ ...nothing, messages: [message('x')] }, SETTINGS, never)).messages,
    ).toHaveLength(1);
  });

  it('gets a long history in parts, oldest first, never much at once', async () => {
    const sizes: number[] = [];
    const text = 'z'.repeat(1_000_000);
    const trimmer = createTrimmer(SETTINGS, ({ tool_outputs }) => {
      sizes.push(tool_outputs.length);
      return `part ${sizes.length}`;
    });
    for (const value of many(25, () => output(text))) await trimmer.add({ kind: 'tool', value });
    expect((await trimmer.finish()).messages[0]!.content).toBe(many(5, (n) => `part ${n + 1}`).join('\n\n'));
    expect(sizes).toEqual([4, 4, 4, 4, 4]);
  });

  it('fails the trimming when it fails', async () => {
    const failing = () => Promise.reject(new Error('the model is away'));
    const context = { ...nothing, messages: many(3, message) };
    await expect(trimContext(context, { ...SETTINGS, keep_messages: 1 }, failing)).rejects.toThrow(
      'the model is away',
    );
  });
});

describe('the summary that needs no model', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_-]{1,10}$/);
  const ending = fc.constantFrom('ts', 'py', 'json', 'md', 'rs', 'yaml');
  const path = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('', '/', './', '../', '~/'),
        fc.array(name, { minLength: 2, maxLength: 5 }),
        ending,
      )
      .map(([root, parts, end]) => `${root}${parts.join('/')}.${end}`),
    fc.tuple(name, ending).map(([stem, end]) => `${stem}.${end}`),
    fc.array(name, { minLength: 2, maxLength: 4 }).map((parts) => `C:\\${parts.join('\\')}.txt`),
  );
  const command = fc
    .tuple(
      fc.constantFrom('npm run', 'git checkout', 'cargo test', 'docker exec', 'pytest', 'kubectl get'),
      fc.array(name, { minLength: 1, maxLength: 4 }),
    )
    .map(([tool, args]) => `${tool} ${args.join(' ')}`);
  const error = fc
    .tuple(
      fc.constantFrom('TypeError', 'Error', 'ValueError', 'java.io.IOException'),
      fc.array(name, { minLength: 1, maxLength: 6 }),
    )
    .map(([kind, words]) => `${kind}: ${words.join(' ')}`);
  const decision = fc
    .array(name, { minLength: 2, maxLength: 6 })
    .map((words) => `We decided to keep ${words.join(' ')}.`);
  const prose = fc
    .array(
      fc.constantFrom(
        'the',
        'quick',
        'fox',
        'considers',
        'options',
        '(maybe)',
        '"thing"',
        'well,',
        'and\n',
        'so.',
      ),
      { maxLength: 30 },
    )
    .map((words) => words.join(' '));

  /** A fact with prose around it, in any of the places facts come in. */
  const planted = fc.oneof(
    fc
      .tuple(path, prose, prose)
      .chain(([fact, a, b]) =>
        fc.constantFrom<[string, ContextEntry]>(
          [fact, { kind: 'message', value: message(`${a} ${fact} ${b}`) }],
          [
            fact,
            { kind: 'message', value: message([{ type: 'text', text: `${a}\n(${fact}), ${b}` }], 'user') },
          ],
          [fact, { kind: 'tool', value: output(`${a}\n${fact}:12: ${b}`) }],
          [fact, { kind: 'tool', value: { ...output(b), input: { file_path: fact } } }],
        ),
      ),
    fc
      .tuple(command, prose, prose)
      .chain(([fact, a, b]) =>
        fc.constantFrom<[string, ContextEntry]>(
          [fact, { kind: 'message', value: message(`${a} \`${fact}\` ${b}`) }],
          [fact, { kind: 'message', value: message(`${a}\n$ ${fact}\n${b}`) }],
          [fact, { kind: 'message', value: message(`${a}\n\`\`\`sh\n${fact}\n\`\`\`\n${b}`) }],
          [fact, { kind: 'tool', value: { ...output(b), input: { command: fact } } }],
          [fact, { kind: 'tool', value: { ...output(b), tool: 'bash', input: fact } }],
          [fact, { kind: 'tool', value: output(`${a}\n$ ${fact}\n${b}`) }],
        ),
      ),
    fc
      .tuple(error, prose, prose)
      .chain(([fact, a, b]) =>
        fc.constantFrom<[string, ContextEntry]>(
          [fact, { kind: 'message', value: message(`${a} ${fact}\n${b}`) }],
          [fact, { kind: 'tool', value: output(`${a}\n${fact}\n${b}`) }],
          [fact, { kind: 'tool', value: output({ stdout: a, stderr: fact }) }],
          [fact, { kind: 'tool', value: { ...output(fact), status: 'error' } }],
        ),
      ),
    fc
      .tuple(decision, prose, prose)
      .chain(([fact, a, b]) =>
        fc.constantFrom<[string, ContextEntry]>(
          [fact, { kind: 'message', value: message(`${a}\n${fact} ${b}`) }],
          [fact, { kind: 'message', value: message(fact, 'user') }],
          [fact, { kind: 'decision', value: { what: fact } satisfies Decision }],
        ),
      ),
  );

  it('has every decision, path, command and error of what was trimmed, and touches nothing newer', async () => {
    const sizes = fc.record({ keep_messages: fc.nat(4), keep_tool_outputs: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(planted, { maxLength: 20 }), sizes, async (facts, settings) => {
        // What comes last pushes everything planted out of what is kept.
        const newer: ContextEntry[] = [
          ...many(
            settings.keep_messages + 1,
            (n): ContextEntry => ({ kind: 'message', value: message(`newer ${n}`) }),
          ),
          ...many(
            settings.keep_tool_outputs + 1,
            (n): ContextEntry => ({ kind: 'tool', value: output(`newer ${n}`) }),
          ),
        ];
        const trimmed = await trimAll([...facts.map(([, entry]) => entry), ...newer], settings);
        const [summary, ...kept] = trimmed.messages;
        for (const [fact] of facts) expect(summary!.content).toContain(fact);
        expect(kept).toEqual(many(settings.keep_messages, (n) => message(`newer ${n + 1}`)));
        expect(trimmed.tool_outputs).toEqual(
          many(settings.keep_tool_outputs, (n) => output(`newer ${n + 1}`)),
        );
      }),
      { numRuns: 400 },
    );
  });

  it('drops prose, and says a thing once', () => {
    const text = 'Once upon a time there was a long story. '.repeat(500);
    const messages = many(100, () => message(`${text} See src/a.ts.`));
    const summary = summarise({ ...nothing, messages });
    expect(summary.length).toBeLessThan(300);
    expect(summary.split('src/a.ts')).toHaveLength(2);
  });

  it('keeps facts in the order in which they came', () => {
    const messages = many(30, (n) => message(`touch lib/f${(n * 7) % 30}.ts`));
    const listed = [...summarise({ ...nothing, messages }).matchAll(/lib\/f(\d+)\.ts/g)].map((match) =>
      Number(match[1]),
    );
    expect(listed).toEqual(many(30, (n) => (n * 7) % 30));
  });

  it('takes no long time over text made to be slow', () => {
    const nasty = [
      'a'.repeat(300_000),
      'a.'.repeat(150_000),
      '/'.repeat(300_000),
      '`'.repeat(300_001),
      '"a '.repeat(100_000),
      'git '.repeat(75_000),
      'x=1 '.repeat(75_000),
      '$ '.repeat(150_000),
      '```sh\n'.repeat(50_000),
      '('.repeat(300_000),
      'error '.repeat(50_000),
    ];
    const summary = summarise({
      messages: nasty.map((text) => message(text)),
      tool_outputs: nasty.map(output),
      decisions: [],
    });
    expect(summary.length).toBeGreaterThan(0);
  });
});

/** All of a context, through a trimmer. */
async function trimContext(
  { messages, tool_outputs, decisions }: CheckpointContext,
  settings: TrimSettings,
  summariser?: Summariser,
): Promise<CheckpointContext> {
  const trimmer = createTrimmer(settings, summariser);
  for (const value of decisions) await trimmer.add({ kind: 'decision', value });
  for (const value of tool_outputs) await trimmer.add({ kind: 'tool', value });
  for (const value of messages) await trimmer.add({ kind: 'message', value });
  return trimmer.finish();
}
