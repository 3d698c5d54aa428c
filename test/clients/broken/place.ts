/** Puts a host that does not do its work in the place of ours, without a change of the client's files: some are trusted by content. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hooked } from '../hooked.ts';

export const BROKEN = ['missing', 'refusing', 'hung'] as const;
export type Broken = (typeof BROKEN)[number];

const HOST = join(import.meta.dirname, 'host.js');
const RELAY = join(import.meta.dirname, 'relay.ts');

/** The stage has a Node of its own, by which the client starts the host. */
export function breakHost({ node }: Hooked, how: Broken): void {
  rmSync(node);
  if (how === 'missing') return;
  const script = `#!/bin/sh
shift
host='${HOST}'
case " $* " in *' --relay '*) host='${RELAY}' ;; esac
VIBE_BROKEN_HOST=${how} exec '${process.execPath}' "$host" "$@"
`;
  writeFileSync(node, script, { mode: 0o755 });
}
