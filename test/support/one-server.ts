/** Before all tests: one PostgreSQL server for the whole run, started when the first test asks for it. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ASKED_AT } from './postgres.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

export default async function serve(): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const listener = createServer(async (socket) => {
    server ??= startPostgresServer();
    socket.on('error', () => {});
    // If it does not start, the caller tries it, and says why not.
    socket.end(
      await server.then(
        ({ url }) => url,
        () => '',
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  process.env[ASKED_AT] = String((listener.address() as AddressInfo).port);
  return async () => {
    listener.close();
    await server?.then(
      ({ stop }) => stop(),
      () => {},
    );
  };
}
