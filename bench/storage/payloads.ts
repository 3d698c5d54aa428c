/** What is written, the same for floors and subjects: random, so that nothing can be compressed or told from before. */
import { randomBytes } from 'node:crypto';

const DISTINCT = 64;
const SIZE = 1024;

let used = 0;

const blocks: readonly Buffer[] = Array.from({ length: DISTINCT }, () => randomBytes(SIZE));
const texts: readonly string[] = blocks.map((block) => block.toString('hex').slice(0, SIZE));
const entries: readonly unknown[] = texts.map((text) => {
  const entry = { kind: 'tool_result', tool: 'read_file', text: '' };
  return { ...entry, text: text.slice(JSON.stringify(entry).length) };
});

export function nextBlock(): Buffer {
  return blocks[used++ % DISTINCT]!;
}

/** 1,024 characters, one byte each. */
export function nextText(): string {
  return texts[used++ % DISTINCT]!;
}

/** A journal entry whose JSON is 1,024 bytes long. */
export function nextEntry(): unknown {
  return entries[used++ % DISTINCT]!;
}

/** The state of a task at some step, about 300 bytes of JSON. */
export function stateAt(task: string, step: number): unknown {
  return {
    version: '1.0',
    task_id: task,
    status: 'in_progress',
    created_at: '2026-11-15T08:00:00.000Z',
    updated_at: '2026-11-15T08:30:00.000Z',
    data: {
      current_agent: 'implementer',
      current_step: `step-${step}`,
      iteration_count: step,
      started_at: '2026-11-15T08:00:01.000Z',
      last_activity_at: '2026-11-15T08:30:00.000Z',
    },
  };
}
