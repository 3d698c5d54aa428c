/** What is written for another platform, run on this one. */
import { afterEach, beforeEach } from 'vitest';
import { type Platform, setPlatform } from '../../src/system/platform.ts';

/** The tests of this file or `describe` find another platform, or this one but for what it says. */
export function onPlatform(other: Platform['name'] | Partial<Platform>): void {
  beforeEach(() => setPlatform(other));
  afterEach(() => setPlatform());
}

/** Linux has each platform's ways, or can be given them; elsewhere only the real ones are tried. */
export const onLinux = process.platform === 'linux';
if (!onLinux) console.log('What is written for other platforms is tried on Linux only.');

export const WATCHES = onLinux ? (['directories', 'tree'] as const) : (['tree'] as const);

/** How files are reached: through open directories, and where that is not to be had. */
export const WAYS: readonly (readonly [string, Partial<Platform>])[] = [
  ['by descriptor', {}],
  ['by path', { proc: false }],
];
