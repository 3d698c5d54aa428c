/** What the compiler says of states that are not whole: real compilations of small programs. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const HEAD = `
import type { TaskState } from '${ROOT}/src/task/state.ts';
import { transition } from '${ROOT}/src/task/transition.ts';
const at = '2026-11-02T10:00:00.000Z';
const envelope = { version: '1.0', task_id: 't', task_name: 'n', created_at: at, updated_at: at } as const;
`;

const PROGRAMS = {
  'whole.ts': `export const s: TaskState = { ...envelope, status: 'cancelled', data: { cancelled_at: at, cancel_reason: 'r' } };`,
  'narrowed.ts': `export const when = (s: TaskState) => (s.status === 'failed' ? s.data.retry_count : 0);`,
  'moved.ts': `export const to = (s: TaskState) => transition(s, 'cancelled', { cancelled_at: at, cancel_reason: 'r' }, new Date()).data.cancel_reason;`,
  'no-data.ts': `export const s: TaskState = { ...envelope, status: 'cancelled' };`,
  'part-of-data.ts': `export const s: TaskState = { ...envelope, status: 'cancelled', data: { cancelled_at: at } };`,
  'data-of-another.ts': `export const s: TaskState = { ...envelope, status: 'waiting', data: { cancelled_at: at, cancel_reason: 'r' } };`,
  'field-too-many.ts': `export const s: TaskState = { ...envelope, status: 'cancelled', data: { cancelled_at: at, cancel_reason: 'r', by: 'me' } };`,
  'unknown-status.ts': `export const s: TaskState = { ...envelope, status: 'done', data: {} };`,
  'not-narrowed.ts': `export const when = (s: TaskState) => s.data.retry_count;`,
  'moved-without-data.ts': `export const to = (s: TaskState) => transition(s, 'cancelled', {}, new Date());`,
};
const COMPILES = ['whole.ts', 'narrowed.ts', 'moved.ts'];

let folder: string;
let failing: Set<string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vibe-engine-types-'));
  const files = Object.entries(PROGRAMS);
  await Promise.all(files.map(([name, body]) => writeFile(join(folder, name), `${HEAD}${body}\n`)));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    rewriteRelativeImportExtensions: false,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const errors = Array.from((await compile(folder)).matchAll(/^(\S*)\((\d+),\d+\): error .*$/gm));
  const elsewhere = errors.filter(([, , line]) => Number(line) !== HEAD.split('\n').length);
  expect(elsewhere.map(([message]) => message)).toEqual([]);
  failing = new Set(errors.map(([, name]) => name!));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(Object.keys(PROGRAMS))('%s', (name) => {
  expect(failing.has(name)).toBe(!COMPILES.includes(name));
});

async function compile(project: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile)(process.execPath, [tsc, '-p', project, '--pretty', 'false'], {
    cwd: project,
  });
  return run.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}
