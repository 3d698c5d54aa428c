/** `keys status`: whether what is stored is encrypted, and whether the key is at hand. */
import { StoreError } from '../../errors.ts';
import { amountsOf } from '../../verbs/format/amounts.ts';
import { EXIT } from '../../verbs/kit/exit.ts';
import { verb } from '../../verbs/kit/verb.ts';

export const keysStatus = verb({
  name: 'keys status',
  group: 'care',
  summary: 'keys.status.summary',
  examples: ['keys status'],
  data: {
    enabled: 'boolean',
    encrypted: 'boolean|null',
    source: 'string',
    key: 'string|null',
    locked_with: 'string|null',
    locked_at: 'string|null',
  },
  async run(call) {
    const { say, project_dir } = call;
    const [{ loadConfig }, { keyProvider, openUnsealed }, { isThere }, { lockOf, unlock }] =
      await Promise.all([
        import('../../config/load.ts'),
        import('../../storage/factory.ts'),
        import('../../storage/store-there.ts'),
        import('../../storage/encrypted/lock-of.ts'),
      ]);
    const { config } = loadConfig({ project_dir });
    const { enabled } = config.encryption;
    const provider = await keyProvider(config.encryption, { project_dir });
    const { source } = provider;
    const nothing = { enabled, source, key: null, locked_with: null, locked_at: null };
    const store = isThere(config, project_dir) ? await openUnsealed(config, { project_dir }) : null;
    try {
      if (!store)
        return {
          data: { ...nothing, encrypted: null },
          lines: [say(enabled ? 'keys.status.none' : 'keys.status.none_off')],
        };
      const locked = await lockOf(store);
      if (!locked) return { data: { ...nothing, encrypted: false }, lines: [say('keys.status.off')] };
      const { locked_with, at } = locked;
      const { key, line } = await tryKey();
      const since = say('keys.status.since', { key: locked_with, when: amountsOf(call).moment(at) });
      return {
        data: { enabled, encrypted: true, source, key, locked_with, locked_at: at },
        lines: [enabled ? line : say('keys.status.unset'), call.paint.dim(since)],
        ...(key === 'right' && enabled ? {} : { exit: EXIT.found }),
      };

      async function tryKey(): Promise<{ key: 'right' | 'wrong' | 'missing'; line: string }> {
        try {
          await unlock(locked!, provider);
          return { key: 'right', line: say('keys.status.right', { source }) };
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          const { given, needed } = error.data as Record<string, string>;
          if (error.code === 'WRONG_KEY')
            return {
              key: 'wrong',
              line: say('keys.status.wrong', { source, given: given!, needed: needed! }),
            };
          return { key: 'missing', line: say('keys.status.missing', { why: error.message }) };
        }
      }
    } finally {
      await store?.close();
    }
  },
});
