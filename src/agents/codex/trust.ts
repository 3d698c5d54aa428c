/**
 * Codex skips the hooks of a plugin, without a word, until the user trusts them. What is trusted lies in its settings, which
 * its own server reads and writes.
 */
import { type AskCodex, withAppServer } from './app-server.ts';

interface Hook {
  readonly key: string;
  readonly pluginId?: string | null;
  /** Of the hook and, in plugins, of what it comes with: `sha256:…/sha256:…`. */
  readonly currentHash: string;
  readonly trustStatus: string;
}

/** Whether every hook of the plugin will run; false if it has none. */
export function isTrusted(plugin: string): Promise<boolean> {
  return withAppServer(async (ask) => {
    const hooks = await hooksOf(ask, plugin);
    return hooks.length > 0 && hooks.every(({ trustStatus }) => trustStatus === 'trusted');
  });
}

export function trustHooks(plugin: string): Promise<void> {
  return withAppServer(async (ask) => {
    const value = Object.fromEntries(
      (await hooksOf(ask, plugin)).map(({ key, currentHash }) => [key, trustOf(currentHash)]),
    );
    await write(ask, [{ keyPath: 'hooks.state', mergeStrategy: 'upsert', value }]);
  });
}

/** While the plugin is still installed: afterwards nobody knows the names of its hooks. */
export function forgetTrust(plugin: string): Promise<void> {
  return withAppServer(async (ask) => {
    const known = (await hooksOf(ask, plugin)).filter(({ trustStatus }) => trustStatus !== 'untrusted');
    const edits = known.map(({ key }) => ({
      keyPath: `hooks.state.${JSON.stringify(key)}`,
      mergeStrategy: 'replace',
      value: null,
    }));
    if (edits.length > 0) await write(ask, edits);
  });
}

/** What is to be written into the settings for a hook with that hash. */
function trustOf(hash: string): Readonly<Record<string, string>> {
  const [own = hash, content] = hash.split('/');
  return { trusted_hash: own, ...(content === undefined ? {} : { trusted_content_hash: content }) };
}

async function hooksOf(ask: AskCodex, plugin: string): Promise<Hook[]> {
  const answer = (await ask('hooks/list', { cwds: [process.cwd()] })) as { data?: { hooks?: Hook[] }[] };
  return (answer.data ?? []).flatMap(({ hooks = [] }) => hooks).filter(({ pluginId }) => pluginId === plugin);
}

async function write(ask: AskCodex, edits: readonly unknown[]): Promise<void> {
  await ask('config/batchWrite', { edits });
}
