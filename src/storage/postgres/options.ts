/** Checks the options of `openPostgresStorage`. */
import { ConfigError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

export interface PostgresStorageOptions {
  /** `postgres://user:password@host:5432/database`. */
  readonly url: string;
  /** The schema that holds the tables; default: `vibe_engine`. Created if missing. */
  readonly schema?: string | undefined;
  /** Maximum number of connections; default: 10. A process that owns tasks has one more. */
  readonly pool_size?: number | undefined;
  /** How long a claim outlives its last renewal; default: 30. */
  readonly lease_seconds?: number | undefined;
  /** How long a call waits for a server that went away; default: 30. */
  readonly reconnect_seconds?: number | undefined;
  /** Accept a server that may lose acknowledged writes (`fsync` or `synchronous_commit` off). */
  readonly allow_unsafe_server?: boolean | undefined;
}

export interface Settings {
  readonly url: string;
  readonly schema: string;
  readonly pool_size: number;
  readonly lease_ms: number;
  readonly patience_ms: number;
  readonly allow_unsafe_server: boolean;
  /** Host, port and database, as readable text; never the password. */
  readonly where: string;
}

export function settingsOf(options: PostgresStorageOptions): Settings {
  const { schema = 'vibe_engine', pool_size = 10, lease_seconds = 30, reconnect_seconds = 30 } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    refuse('schema', phrase`lower-case letters, digits and "_", at most 63, not beginning with a digit`);
  }
  if (!Number.isSafeInteger(pool_size) || pool_size < 1) refuse('pool_size', phrase`a whole number from 1`);
  if (!(lease_seconds > 0)) refuse('lease_seconds', phrase`a number above 0`);
  if (!(reconnect_seconds >= 0)) refuse('reconnect_seconds', phrase`a number from 0`);
  return {
    url: options.url,
    schema,
    pool_size,
    lease_ms: lease_seconds * 1000,
    patience_ms: reconnect_seconds * 1000,
    allow_unsafe_server: options.allow_unsafe_server ?? false,
    where: serverOf(options.url),
  };
}

/** The URL parser's error quotes the URL with its password: it is not passed on. */
function serverOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'postgres:' && parsed?.protocol !== 'postgresql:') {
    return refuse('url', 'postgres://user:password@host:5432/database');
  }
  const host = parsed.hostname || 'localhost';
  return `${host}:${parsed.port || '5432'}${parsed.pathname}`;
}

function refuse(key: string, expected: string): never {
  throw new ConfigError('CONFIG_INVALID', phrase`The PostgreSQL setting "${key}" is not ${expected}.`, {
    data: { key, expected },
    hint: phrase`Set it to ${expected}.`,
  });
}
