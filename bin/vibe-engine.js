#!/usr/bin/env node
// The committed launcher: checks the Node version in words any Node can parse, then runs the build.
import { existsSync } from 'node:fs';
import module from 'node:module';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `vibe-engine needs Node 24 or newer; this is Node ${process.versions.node}. Install Node 24, or run it through npx in a project that has it.`,
  );
  process.exit(69);
}
const built = new URL('../dist/cli.js', import.meta.url);
if (!existsSync(built)) {
  console.error('vibe-engine is not built yet. Run "npm ci" (or "npm run build") in its folder first.');
  process.exit(69);
}
// Keeps compiled code between runs; without it a short command spends most of its time compiling.
const { cacheDirectory } = await import('./compile-cache.js');
const cache = cacheDirectory();
if (cache !== null) module.enableCompileCache(cache);
await import(built.href);
