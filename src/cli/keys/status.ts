/** `keys status`: whether the store is encrypted, and whether its key is available. */
import { StoreError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { amountsOf } from '../../verbs/kit/amounts.ts';
import { EXIT } from '../../verbs/kit/exit.ts';
import { verb } from '../../verbs/kit/verb.ts';

export const keysStatus = verb({
  name: 'keys status',
  group: 'care',
  examples: ['keys status'],
  data: {
    enabled: 'boolean',
    encrypted: 'boolean|null',
    source: 'string',
    key: 'string|null',
    locked_with: 'string|null',
    locked_at: 'string|null',
    moving: 'string|null',
  },
  async run(call) {
    const { say, project_dir } = call;
    const [{ loadConfig }, { keyProvider, openUnsealed }, { isThere }, { lockOf, unlock }, mark] =
      await Promise.all([
        import('../../config/load.ts'),
        import('../../storage/opening/factory.ts'),
        import('../../storage/opening/store-there.ts'),
        import('../../storage/encrypted/lock-of.ts'),
        import('../../storage/moving/mark.ts'),
      ]);
    const { config } = loadConfig({ project_dir });
    const { enabled } = config.encryption;
    const provider = await keyProvider(config.encryption, { project_dir });
    const { source } = provider;
    const nothing = { enabled, source, key: null, locked_with: null, locked_at: null, moving: null };
    const store = isThere(config, project_dir) ? await openUnsealed(config, { project_dir }) : null;
    try {
      if (!store)
        return {
          data: { ...nothing, encrypted: null },
          lines: [say(enabled ? 'keys.status.none' : 'keys.status.none_off')],
        };
      const locked = await lockOf(store);
      const move = await moveInProgress(store);
      const unfinished = move.line === null ? {} : { exit: EXIT.found };
      const more = move.line === null ? [] : [move.line];
      if (!locked)
        return {
          data: { ...nothing, encrypted: false, moving: move.to },
          lines: [say('keys.status.off'), ...more],
          ...unfinished,
        };
      const { locked_with, at } = locked;
      const { key, line } = await tryKey();
      const since = say('keys.status.since', { key: locked_with, when: amountsOf(call).moment(at) });
      return {
        data: { enabled, encrypted: true, source, key, locked_with, locked_at: at, moving: move.to },
        lines: [enabled ? line : say('keys.status.unset'), call.paint.dim(since), ...more],
        ...(key === 'right' && enabled ? unfinished : { exit: EXIT.found }),
      };

      /** An unfinished move out of this store, or into it. */
      async function moveInProgress(of: Storage): Promise<{ to: string | null; line: string | null }> {
        const [left, note, owner] = [
          await mark.readMark(of),
          await mark.readNote(of),
          await of.owner(mark.MOVER),
        ];
        if (left?.state === 'moved') throw mark.refusal(left);
        const direction = left?.direction ?? note?.direction;
        if (direction === undefined) return { to: null, line: null };
        const who = owner
          ? say('keys.status.mover', { holder: owner.holder })
          : say('keys.status.cut_off', { command: call.invoke(`keys ${direction}`) });
        if (!left) return { to: null, line: say('keys.status.leaving', { from: note!.from.value, who }) };
        return { to: left.to, line: say('keys.status.moving', { to: left.to, who }) };
      }

      async function tryKey(): Promise<{ key: 'right' | 'wrong' | 'missing'; line: string }> {
        try {
          await unlock(locked!, provider);
          return { key: 'right', line: say('keys.status.right', { source: call.translate(source) }) };
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          const { given, needed } = error.data as Record<string, string>;
          if (error.code === 'WRONG_KEY')
            return {
              key: 'wrong',
              line: say('keys.status.wrong', {
                source: call.translate(source),
                given: given!,
                needed: needed!,
              }),
            };
          return { key: 'missing', line: say('keys.status.missing', { why: call.translate(error.message) }) };
        }
      }
    } finally {
      await store?.close();
    }
  },
});
