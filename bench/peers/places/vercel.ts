/** A directory for the local world of Vercel's workflow, with the bundles that its builder makes of a workflow. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inDirectory, type OpenAPlace } from './local.ts';

const PROJECT = 'project';
/** The workflows as its users write them; what a step does is decided by the worker. */
const SOURCE = join(import.meta.dirname, '..', 'workers', 'vercel-workflows.js');

export const inVercelProject: OpenAPlace = async (scratch, installed) => {
  await buildBundles(installed);
  return inDirectory('vercel', '')(scratch, installed);
};

export function bundleIn(installed: string, name: 'flow' | 'step'): string {
  return join(installed, PROJECT, 'out', `${name}.cjs`);
}

/** The names that the builder gave the workflows, which depend on where they lie. */
export function workflowIdsIn(installed: string): (workflow: string) => string {
  const path = join(installed, PROJECT, '.well-known', 'workflow', 'v1', 'manifest.json');
  const { workflows } = JSON.parse(readFileSync(path, 'utf8')) as {
    workflows: Record<string, Record<string, { workflowId: string }>>;
  };
  return (workflow) => workflows['workflows/bench.js']![workflow]!.workflowId;
}

/** Once for each installation: it takes seconds. */
async function buildBundles(installed: string): Promise<void> {
  const project = join(installed, PROJECT);
  if (existsSync(project)) return;
  const making = `${project}.${process.pid}`;
  mkdirSync(join(making, 'workflows'), { recursive: true });
  writeFileSync(join(making, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  cpSync(SOURCE, join(making, 'workflows', 'bench.js'));
  writeFileSync(join(making, 'build.mjs'), BUILD);
  try {
    await promisify(execFile)(process.execPath, ['build.mjs'], { cwd: making });
    renameSync(making, project);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw error;
  }
}

const BUILD = `import { StandaloneBuilder } from '@workflow/builders';
await new StandaloneBuilder({
  buildTarget: 'standalone',
  workingDir: process.cwd(),
  dirs: ['.'],
  stepsBundlePath: './out/step.cjs',
  workflowsBundlePath: './out/flow.cjs',
  webhookBundlePath: './out/webhook.cjs',
}).build();
`;
