/** A TCP proxy that breaks connections at chosen moments, as networks do. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Where the connection breaks, for a request that contains the marker:
 * - `before`: the request never reaches the server;
 * - `after`: the server has answered, the client does not hear it;
 * - `during`: the server has the request and goes on working on it, while the client has lost the connection.
 */
export type Break = 'before' | 'after' | 'during';

export interface TcpProxy {
  readonly port: number;
  /** Breaks the connection of the next request that contains the marker; resolves when it did. */
  breakOnce(where: Break, marker: string): Promise<void>;
  /** The connections there are go silent without ending, both ways; new ones work. */
  stall(): void;
  /** What the server says is kept back; `arrived` resolves with the first of it, `pass` hands all of it on. */
  hold(): { readonly arrived: Promise<void>; pass(): void };
  close(): Promise<void>;
}

/** A proxy before the server of a database, and the address that leads through it. */
export async function startProxyBefore(address: string): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(address);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let held: { readonly kept: (() => void)[]; readonly arrived: () => void } | undefined;
  let armed: { where: Break; marker: string; done: () => void } | undefined;

  const server = createServer((client) => {
    const upstream = connect(target);
    let swallowing: (() => void) | undefined;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
    client.on('data', (chunk) => {
      if (!armed || !chunk.includes(armed.marker)) {
        upstream.write(chunk);
        return;
      }
      const { where, done } = armed;
      armed = undefined;
      if (where === 'after') swallowing = done;
      if (where === 'before') upstream.destroy();
      else upstream.write(chunk);
      if (where !== 'after') {
        // Without 'close' the server's side stays open, and the server does not notice.
        if (where === 'during') client.removeAllListeners('close');
        client.destroy();
        done();
      }
    });
    upstream.on('data', (chunk) => {
      if (held) {
        held.kept.push(() => client.write(chunk));
        held.arrived();
      } else if (!swallowing) client.write(chunk);
      else if (isReady(chunk)) {
        client.destroy();
        swallowing();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    breakOnce: (where, marker) =>
      new Promise((done) => {
        armed = { where, marker, done };
      }),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const holding = { kept: [] as (() => void)[], arrived: resolve };
      held = holding;
      return {
        arrived: promise,
        pass: () => {
          held = undefined;
          for (const write of holding.kept) write();
        },
      };
    },
    stall: () => {
      for (const socket of sockets) socket.removeAllListeners('data').resume();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** PostgreSQL says with "ReadyForQuery", outside a transaction, that all it was asked for is committed. */
function isReady(chunk: Buffer): boolean {
  return chunk.subarray(-6).equals(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]));
}
