/**
 * The dashboard's server: the page from memory, verbs by POST, changes as a stream. Every request passes `guard.ts` first, and
 * `headers.ts` goes out with every answer.
 */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import {
  type HttpAsked,
  type HttpReply,
  type HttpService,
  serveHttp,
} from '../system/process/http-service.ts';
import { VERSION } from '../system/version.ts';
import { allVerbs } from '../verbs/kit/registry.ts';
import { VERBS } from '../verbs/verbs.ts';
import { answerCall, languageFor } from './call.ts';
import { createCalls } from './calls.ts';
import { type Page, readPage } from './files.ts';
import { isApi, type Own, ownAddresses, refusalOf } from './guard.ts';
import { changes, isOffered } from './offered.ts';
import { refusedReply } from './refusals.ts';
import { jsonReply, type Served } from './served.ts';
import { openStreams, type Streams } from './stream.ts';

export interface DashboardOptions extends Served {
  /** The address to listen on. */
  readonly host: string;
  /** The names that it may be called by. */
  readonly names: readonly string[];
  /** Tried one after another; 0 is any that is free. */
  readonly ports: readonly number[];
  /** Called once the first request with the key has come. */
  readonly onEntered?: () => void;
}

export interface Dashboard {
  /** With the key in its fragment, which a browser sends to nobody. */
  readonly address: string;
  readonly port: number;
  readonly key: string;
  close(): Promise<void>;
}

/** Null where no port was free. */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard | null> {
  const { host, names, ports } = options;
  const page = await readPage();
  const calls = createCalls();
  const streams = openStreams(options, calls);
  const key = randomBytes(32).toString('base64url');
  let own: Own = { hosts: [], origins: [], key };
  const answer = (asked: HttpAsked): Promise<HttpReply> =>
    calls.during(() => route(asked, { own, page, streams, options }));
  for (const port of ports) {
    const service: HttpService | null = await serveHttp({ host, port }, answer);
    if (!service) continue;
    own = { key, ...ownAddresses(service.port, names) };
    return {
      address: `${own.origins[0]}/#key=${key}`,
      port: service.port,
      key,
      async close() {
        streams.close();
        await service.close();
      },
    };
  }
  return null;
}

interface Open {
  readonly own: Own;
  readonly page: Page;
  readonly streams: Streams;
  readonly options: DashboardOptions;
}

async function route(asked: HttpAsked, { own, page, streams, options }: Open): Promise<HttpReply> {
  const language = languageFor(asked, options);
  const refused = refusalOf(asked, own);
  if (refused) return refusedReply(refused, language);
  const [path = '', query = ''] = asked.target.split('?', 2);
  if (!isApi(path)) return page(path, asked.headers) ?? refusedReply('NOT_FOUND', language);
  options.onEntered?.();
  if (asked.method === 'POST') return answerCall(asked, nameIn(path), options);
  if (path === '/api/session') return jsonReply(200, { data: await sessionOf(options) }, options);
  if (path !== '/api/stream') return refusedReply('NOT_FOUND', language);
  const last = asked.headers['last-event-id']?.[0] ?? null;
  return streams.open({ last, task: new URLSearchParams(query).get('task'), language });
}

/** `/api/checkpoints/list` is `checkpoints list`. */
function nameIn(path: string): string {
  return path.slice('/api/'.length).replaceAll('/', ' ');
}

async function sessionOf({ project_dir, language, read_only, reveal }: Served): Promise<object> {
  const verbs = (await allVerbs(VERBS)).filter((verb) => isOffered(verb) && !(read_only && changes(verb)));
  return {
    project: basename(project_dir),
    project_dir,
    language,
    read_only,
    reveal,
    version: VERSION,
    verbs: verbs.map(({ name }) => name),
  };
}
