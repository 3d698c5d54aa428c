/** Our relay, with the broken host behind it. */
import { join } from 'node:path';
import { hookPatience } from '../../../src/cli/agents/patience.ts';
import { relay } from '../../../src/system/process/relay.ts';

const args = process.argv.slice(2).filter((arg) => arg !== '--relay');
const host = [process.execPath, join(import.meta.dirname, 'host.js'), ...args] as const;
process.exit(await relay([...host, `--client-process=${process.ppid}`], hookPatience(process.env)));
