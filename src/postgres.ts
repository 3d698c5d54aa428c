/** `vibe-engine/postgres`: the PostgreSQL back end, apart because it needs the package `pg`. */
export { openPostgresStorage, type PostgresStorageOptions } from './storage/postgres/open.ts';
