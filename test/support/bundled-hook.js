// In the programs that tests start (shared-process.ts): a file of `src` is taken from the bundle of bundled.ts.
import { registerHooks } from 'node:module';

const SRC = new URL('../../src/', import.meta.url).href;
const BUNDLE = new URL('../../node_modules/.cache/vibe-engine-src/', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.startsWith(SRC)) return found;
    return { ...found, format: 'module', url: `${BUNDLE}${found.url.slice(SRC.length, -'.ts'.length)}.js` };
  },
});
