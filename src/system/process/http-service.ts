/** A small HTTP server on one address: requests as values, limits on everything, no upgrades. What is answered is up to the caller. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpAsked {
  readonly method: string;
  /** As it was sent. */
  readonly target: string;
  /** All values that were sent, by the name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  /** Null if it is longer than that. Rejects if the client leaves. */
  body(most: number): Promise<Buffer | null>;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A function is called with a stream that stays open. */
  readonly body: string | Uint8Array | ((out: HttpStream) => void);
}

export interface HttpStream {
  /** A reader that does not keep up is disconnected. */
  write(text: string): void;
  end(): void;
  /** Aborted once either side has ended it. */
  readonly closed: AbortSignal;
}

export interface HttpService {
  readonly port: number;
  close(): Promise<void>;
}

const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  /** The two above are looked at this often. */
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  keepAliveTimeout: 5_000,
  /** A request without one is answered like any with a wrong one. */
  requireHostHeader: false,
} as const;
const MOST_CONNECTIONS = 64;
/** Bytes that may wait for a reader. */
const MOST_UNREAD = 4 * 1024 * 1024;

/** Null where the port is taken. */
export async function serveHttp(
  { host, port }: { readonly host: string; readonly port: number },
  answer: (asked: HttpAsked) => Promise<HttpReply>,
): Promise<HttpService | null> {
  const server = createServer(LIMITS, (incoming, outgoing) => {
    answer(askedBy(incoming)).then(
      (reply) => send(outgoing, reply),
      () => outgoing.destroy(), // The client left, or there is nothing that may be said.
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('upgrade', (_, socket) => socket.destroy());
  server.on('connect', (_, socket) => socket.destroy());
  // An announced body is read or refused like any other: nothing is promised before that.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (_, outgoing: ServerResponse) => outgoing.writeHead(417).end());
  const listening = Promise.withResolvers<boolean>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') listening.resolve(false);
    else listening.reject(error);
  });
  server.listen({ host, port }, () => listening.resolve(true));
  if (!(await listening.promise)) return null;
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function askedBy(incoming: IncomingMessage): HttpAsked {
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: incoming.headersDistinct,
    body: (most) => readBody(incoming, most),
  };
}

function readBody(incoming: IncomingMessage, most: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > most) resolve(null);
      else parts.push(part);
    });
    incoming.on('end', () => resolve(Buffer.concat(parts)));
    incoming.on('error', reject);
    incoming.on('close', () => reject(incoming.errored ?? new Error()));
  });
}

function send(outgoing: ServerResponse, { status, headers, body }: HttpReply): void {
  if (typeof body !== 'function') {
    const length = `${Buffer.byteLength(body)}`;
    return void outgoing.writeHead(status, { ...headers, 'content-length': length }).end(body);
  }
  outgoing.writeHead(status, headers);
  const closed = new AbortController();
  outgoing.on('error', () => outgoing.destroy());
  outgoing.on('close', () => closed.abort());
  outgoing.flushHeaders();
  body({
    write(text) {
      outgoing.write(text);
      if (outgoing.writableLength > MOST_UNREAD) outgoing.destroy();
    },
    end: () => outgoing.end(),
    closed: closed.signal,
  });
}
