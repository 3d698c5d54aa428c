/** What the workers of a round have seen, held against what must never be. */
import { STEPS } from './child.ts';

/**
 * Lines in the order in which they were written: `begin`, `done` and `end` by workers, `kill` by the process that kills them, before it
 * does. A task passes from one worker to another only when the first one is to be killed, and nothing comes of that one after.
 */
export function judge(lines: readonly string[], tasks: readonly string[]): string[] {
  const problems: string[] = [];
  const killed = new Set<string>();
  const owners = new Map<string, string>();
  const lost = new Set<string>();
  const done = new Map<string, string>();
  const ended = new Map<string, string[]>();
  for (const line of lines) {
    const [what, pid, task, ...rest] = line.split(' ') as [string, string, string, ...string[]];
    if (what === 'kill') {
      killed.add(pid);
      continue;
    }
    if (what === 'failed') {
      problems.push(`corrupt or failed: ${line}`);
      continue;
    }
    const owner = owners.get(task);
    if (owner !== undefined && owner !== pid && !killed.has(owner))
      problems.push(`two at once: ${line}, while ${owner} lives and has it`);
    if (lost.has(`${pid} ${task}`)) problems.push(`two at once: ${line}, after another took it`);
    if (owner !== undefined && owner !== pid) lost.add(`${owner} ${task}`);
    owners.set(task, pid);
    const step = `${task} ${rest[0]}`;
    if (what === 'begin' && done.has(step)) problems.push(`twice: ${line}, and it was done`);
    if (what === 'done') {
      const before = done.get(step);
      if (before !== undefined && before !== rest[1])
        problems.push(`lost: ${line}, acknowledged as ${before} before`);
      done.set(step, rest[1]!);
    }
    if (what === 'end') ended.set(task, rest);
  }
  for (const task of tasks) {
    const tokens = ended.get(task);
    if (!tokens) problems.push(`${task} was never ended`);
    for (let n = 0; tokens && n < STEPS; n++)
      if (tokens[n] !== done.get(`${task} ${n}`))
        problems.push(`lost: step ${n} of ${task} was acknowledged as ${done.get(`${task} ${n}`)}`);
  }
  return problems;
}
