/**
 * Asks once before running code that someone else chose: a task may have been imported, or its store may have come with a
 * clone. What this user typed here, or agreed to, is remembered outside the project.
 */

import type { CommandInput } from '../../engine/reading/command.ts';
import type { Head } from '../../engine/task/records/head.ts';
import { isImported } from '../../engine/task/records/imported.ts';
import type { Storage } from '../../storage/contract.ts';
import { isRemembered, rememberThat } from '../../system/user/remembered.ts';

const SORT = 'agreed';

type Who = Pick<Head, 'task_id' | 'lineage'>;

/** When it is started: it was typed just now. */
export function agreeToCommand(task: string, working_dir: string, given: CommandInput): void {
  rememberThat(SORT, ofCommand(task, working_dir, given));
}

export function hasAgreedToCommand(head: Head, given: CommandInput): boolean {
  const { working_dir } = head;
  return namesOf(head).some((name) => isRemembered(SORT, ofCommand(name, working_dir, given)));
}

/** The file that an export names may be chosen by a stranger. */
export async function needsAgreementTo(storage: Storage, head: Head, file: string): Promise<boolean> {
  if (!(await isImported(storage, head))) return false;
  return !namesOf(head).some((name) => isRemembered(SORT, ofFile(name, file)));
}

export function agreeToFile(task: string, file: string): void {
  rememberThat(SORT, ofFile(task, file));
}

/** A fork is the same work. */
function namesOf({ task_id, lineage }: Who): string[] {
  return [task_id, ...lineage.map(({ task }) => task)];
}

function ofCommand(task: string, working_dir: string, { command, resume_with, dir }: CommandInput): string {
  return JSON.stringify({ task, working_dir, command, resume_with, dir });
}

function ofFile(task: string, file: string): string {
  return JSON.stringify({ task, file });
}
