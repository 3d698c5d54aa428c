import { phrase } from '../../phrase.ts';
import type { SetupState } from '../client.ts';

/** Of a client whose plugins are always the user's. */
export function noProject(title: string, version: string): SetupState {
  const missing = [
    phrase`${title} has no plugins of a project: install it for all projects, without --here.`,
  ];
  return { found: true, version, installed: false, active: false, strict: false, missing };
}
