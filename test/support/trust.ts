/** What a person has looked at: everything that a project's file sets counts. */
import { loadConfig } from '../../src/config/load.ts';
import { trustSettings } from '../../src/config/trust.ts';

export function trustProject(project_dir: string): void {
  trustSettings(project_dir, loadConfig({ project_dir }).waiting, process.env);
}
