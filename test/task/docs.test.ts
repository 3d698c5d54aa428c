import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DERIVED, withDerivedParts } from './docs.ts';

const PAGE = join(import.meta.dirname, '../../docs/reference/states.md');

it('docs/reference/states.md says what the table and the schemas say (UPDATE_DOCS=1 rewrites it)', () => {
  const page = readFileSync(PAGE, 'utf8');
  const derived = withDerivedParts(page);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, derived);
  else expect(page).toBe(derived);
});

it('every field and status has a meaning', () => {
  for (const render of Object.values(DERIVED)) expect(render()).not.toContain('undefined');
});
