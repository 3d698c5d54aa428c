/** Manual steps where nothing is rebased: after a force push, and where a merge would conflict. Pure. */
import { type Recommendation, restartOrContinue } from '../../drift/restart.ts';
import { phrase } from '../../phrase.ts';
import type { DriftServices } from './looking.ts';

/** Brings a branch up to date, also with a history that was rewritten, and keeps what is not committed. */
export const BY_HAND = 'git pull --rebase --autostash';

type Host = Pick<DriftServices, 'command' | 'config'>;

/** After a force push, a line each. `progress` in percent; null where the task is over. */
export function forcePushSteps(services: Host, task: string, progress: number | null): string[] {
  if (progress === null) return [phrase`Check what is gone, and sync the branch manually: ${BY_HAND}`];
  if (startsAgain(services, progress))
    return [
      phrase`1. Undo the task’s changes to files: ${services.command(`undo ${task}`)}`,
      phrase`2. Check what is gone, and sync the branch manually: ${BY_HAND}`,
      phrase`3. Start the task again: ${services.command(`restart ${task}`)}`,
    ];
  return [
    phrase`1. Check what is gone.`,
    phrase`2. Sync the branch manually: ${BY_HAND}`,
    phrase`3. Resume the task: ${services.command(`resume ${task}`)}`,
  ];
}

/** The same in a line: what is typed. */
export function forcePushCommands(services: Host, task: string, progress: number): string {
  const { command } = services;
  return (
    startsAgain(services, progress)
      ? [command(`undo ${task}`), BY_HAND, command(`restart ${task}`)]
      : [BY_HAND, command(`resume ${task}`)]
  ).join('; ');
}

function startsAgain(services: Host, progress: number): boolean {
  return recommendation(services, { progress, level: 'high', force_push: true }).recommend === 'restart';
}

export function recommendation(
  { config }: Host,
  situation: Pick<Parameters<typeof restartOrContinue>[0], 'progress' | 'level' | 'force_push'>,
): Recommendation {
  const { restart_below_progress, prefer } = config.drift;
  return restartOrContinue({ ...situation, preference: prefer, restart_below: restart_below_progress });
}
