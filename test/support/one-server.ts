/** Before all tests: one PostgreSQL server for the whole run, started when the first test asks for it. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ASKED_AT } from './postgres.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

export default async function serve(): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const desk = createServer(async (socket) => {
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
  await once(desk, 'listening');
  process.env[ASKED_AT] = String((desk.address() as AddressInfo).port);
  return async () => {
    desk.close();
    await server?.then(
      ({ stop }) => stop(),
      () => {},
    );
  };
}
