import { join } from 'node:path';

/** The command of the MCP server of the tests. */
export const MCP_SERVER: readonly [string, ...string[]] = [
  process.execPath,
  join(import.meta.dirname, 'server.js'),
];
