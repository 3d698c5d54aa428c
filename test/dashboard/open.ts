/** The dashboard on a project, as `vibe-engine ui` serves it, in the test's own process. */
import { afterEach } from 'vitest';
import { serve } from '../../src/cli/dashboard/serve.ts';
import type { Dashboard } from '../../src/dashboard/server.ts';
import type { Language } from '../../src/verbs/text/choose.ts';
import { speak } from '../../src/verbs/text/choose.ts';
import { translator } from '../../src/verbs/text/translate.ts';

export interface ServedBy {
  readonly dir: string;
  readonly read_only?: boolean;
  readonly reveal?: boolean;
  readonly language?: Language;
  /** Default: any that is free. */
  readonly port?: number;
}

/** Gives what opens one; they are closed after the test. */
export function dashboards(): typeof serveOn {
  const open: Dashboard[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  return async (options) => {
    const dashboard = await serveOn(options);
    open.push(dashboard);
    return dashboard;
  };
}

export async function serveOn(options: ServedBy): Promise<Dashboard> {
  const { dir, read_only = false, reveal = false, language = 'en', port = 0 } = options;
  const dashboard = await serve({
    ...{ project_dir: dir, language, read_only, reveal, ports: [port] },
    say: await speak(language),
    translate: await translator(language),
    note: () => {},
    now: () => new Date(),
    invoke: (words) => `vibe-engine ${words}`,
  });
  if (!dashboard) throw new Error(`port ${port} is taken`);
  return dashboard;
}

export interface Answered<T> {
  readonly status: number;
  readonly data: T;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    readonly data: unknown;
  };
}

/** A verb as the page calls it. */
export async function post<T>(
  { port, key }: Pick<Dashboard, 'port' | 'key'>,
  verb: string,
  body: { readonly args?: object; readonly options?: object } = {},
  language = 'en',
): Promise<Answered<T>> {
  const origin = `http://127.0.0.1:${port}`;
  const answer = await fetch(`${origin}/api/${verb.replaceAll(' ', '/')}`, {
    method: 'POST',
    headers: {
      origin,
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'accept-language': language,
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, ...((await answer.json()) as Omit<Answered<T>, 'status'>) };
}
