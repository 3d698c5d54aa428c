/**
 * A project as one meets it on a working day: tasks that wait, were killed, run, failed, were rewound and forked. Each is a real
 * task of a process of its own; only the clock is ours, so that a day fits into seconds.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoryName } from './stories.ts';

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "web-shop", "type": "module" }\n',
  '.gitignore': '.vibe-engine/\nnode_modules/\n',
  'README.md': '# Web shop\n\nA small shop.\n',
  'CHANGELOG.md': '# Changelog\n\n',
  'src/login.ts': `import { redirect } from './http.ts';
import { sessionOf } from './session.ts';

/** Signs a person in and sends them back to where they came from. */
export async function login(request: Request): Promise<Response> {
  const form = await request.formData();
  const session = await sessionOf(form.get('name'), form.get('password'));
  if (session === null) return redirect('/login?failed');
  const next = new URL(request.url).searchParams.get('next') ?? '/';
  return redirect(next, { cookie: session.cookie });
}
`,
  'src/session.ts': `export interface Session {
  readonly cookie: string;
}

export async function sessionOf(name: unknown, password: unknown): Promise<Session | null> {
  return name === 'ada' && password === 'lovelace' ? { cookie: 'ada' } : null;
}
`,
  'src/http.ts': `export function redirect(to: string, options: { cookie?: string } = {}): Response {
  const headers = new Headers({ location: to });
  if (options.cookie) headers.set('set-cookie', options.cookie);
  return new Response(null, { status: 302, headers });
}
`,
  'src/auth.ts': 'export const roles = ["guest", "member", "admin"];\n',
  'docs/links.md': '[shop](http://old.example/shop)\n[cart](http://old.example/cart)\n',
};

export interface Project {
  readonly dir: string;
  /** Those that still run. */
  readonly running: readonly ChildProcess[];
}

/** In the order in which they happened. */
const STORIES: readonly StoryName[] = [
  'done',
  'upgrade',
  'two-agents',
  'refactor',
  'rewound',
  'long',
  'approval',
  'question',
  'conflict',
  'migrate',
];

export async function makeProject(dir: string): Promise<Project> {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: dir });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'Begin');
  const upstream = join(dir, '..', 'upstream.git');
  git('clone', '-q', '--bare', '.', upstream);
  git('remote', 'add', 'origin', upstream);
  git('fetch', '-q', 'origin');
  git('branch', '-q', '-u', 'origin/main');
  const running: ChildProcess[] = [];
  for (const story of STORIES) {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('stories.ts', import.meta.url)), dir, story],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    if (await isReady(child)) running.push(child);
  }
  pushElsewhere(dir, upstream);
  return { dir, running };
}

/** Somebody else, from a clone of their own. */
function pushElsewhere(dir: string, upstream: string): void {
  const clone = join(dir, '..', 'other');
  const git = (cwd: string, ...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=Grace', '-c', 'user.email=grace@example.com', ...args], { cwd });
  git(dir, 'clone', '-q', upstream, clone);
  const login = join(clone, 'src/login.ts');
  writeFileSync(login, readFileSync(login, 'utf8').replace('Signs a person in', 'Signs somebody in'));
  git(clone, 'commit', '-qam', 'Say it in plainer words');
  writeFileSync(join(clone, 'docs/cart.md'), '# Cart\n');
  git(clone, 'add', '.');
  git(clone, 'commit', '-qm', 'Describe the cart');
  git(clone, 'push', '-q', 'origin', 'HEAD');
}

/** It said so, and lives on; or it has ended. */
function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.stdout!.on('data', (text) => {
      if (String(text).includes('ready')) resolve(true);
    });
    child.on('exit', () => resolve(false));
  });
}
