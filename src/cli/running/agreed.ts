/**
 * Asks once before running code that someone else chose: a task may have been imported, or its store may have come with a
 * clone. What this user typed here, or agreed to, is remembered outside the project.
 */

import type { CommandInput, NextCommand } from '../../engine/command/next-command.ts';
import type { WhatRuns } from '../../engine/reading/what-runs.ts';
import { isRemembered, rememberThat } from '../../system/user/remembered.ts';

const SORT = 'agreed';

/** When it is started: it was typed just now. */
export function agreeToCommand(task: string, working_dir: string, given: CommandInput): void {
  rememberThat(SORT, ofCommand(task, working_dir, given));
}

/** A fork is the same work. */
export function hasAgreedToCommand({ head, given }: Pick<NextCommand, 'head' | 'given'>): boolean {
  const tasks = [head.task_id, ...head.lineage.map(({ task }) => task)];
  return tasks.some((task) => isRemembered(SORT, ofCommand(task, head.working_dir, given)));
}

/** The file that an export names may be chosen by a stranger. */
export function needsAgreementTo({ imported, tasks, what }: WhatRuns): boolean {
  return imported && !tasks.some((task) => isRemembered(SORT, ofFile(task, what)));
}

export function agreeToFile(task: string, file: string): void {
  rememberThat(SORT, ofFile(task, file));
}

function ofCommand(task: string, working_dir: string, { command, resume_with, dir }: CommandInput): string {
  return JSON.stringify({ task, working_dir, command, resume_with, dir });
}

function ofFile(task: string, file: string): string {
  return JSON.stringify({ task, file });
}
