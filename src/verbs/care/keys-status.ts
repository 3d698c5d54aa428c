/** `keys status`: whether the store is encrypted, and whether its key is available. */
import type { KeyStatus, MoveInProgress } from '../../engine/keys/status.ts';
import { amountsOf } from '../kit/amounts.ts';
import { EXIT } from '../kit/exit.ts';
import { type Call, verb } from '../kit/verb.ts';

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
    const [{ keyStatus }, { loadConfig }] = await Promise.all([
      import('../../engine/keys/keys.ts'),
      import('../../config/load.ts'),
    ]);
    const { project_dir } = call;
    const { config } = loadConfig({ project_dir });
    const { problem, move, ...status } = await keyStatus({ config, project_dir });
    const { enabled, encrypted, key } = status;
    const whole = move === null && (!encrypted || (enabled && key === 'right'));
    return {
      data: { ...status, moving: move?.to ?? null },
      lines: [...stateLines(call, { ...status, problem, move }), ...(move ? [moveLine(call, move)] : [])],
      ...(whole ? {} : { exit: EXIT.found }),
    };
  },
});

function stateLines(call: Call, status: KeyStatus): string[] {
  const { say } = call;
  const { enabled, encrypted, locked_with, locked_at } = status;
  if (encrypted === null) return [say(enabled ? 'keys.status.none' : 'keys.status.none_off')];
  if (!encrypted) return [say('keys.status.off')];
  const since = say('keys.status.since', { key: locked_with!, when: amountsOf(call).moment(locked_at!) });
  return [enabled ? keyLine(call, status) : say('keys.status.unset'), call.paint.dim(since)];
}

function keyLine({ say, translate }: Call, { key, source, problem }: KeyStatus): string {
  if (key === 'right') return say('keys.status.right', { source: translate(source) });
  if (key === 'missing') return say('keys.status.missing', { why: translate(problem!.message) });
  const { given, needed } = problem!.data as Record<string, string>;
  return say('keys.status.wrong', { source: translate(source), given: given!, needed: needed! });
}

function moveLine({ say, invoke }: Call, { direction, to, from, holder }: MoveInProgress): string {
  const who =
    holder === null
      ? say('keys.status.cut_off', { command: invoke(`keys ${direction}`) })
      : say('keys.status.mover', { holder });
  return to === null
    ? say('keys.status.leaving', { from: from!, who })
    : say('keys.status.moving', { to, who });
}
