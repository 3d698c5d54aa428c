/** Refusals, as a model reads them. */
import type { Engine } from '../../engine/engine.ts';
import type { VibeError } from '../../errors.ts';
import { taskOf, whoIs } from './held.ts';
import { firstPaths } from './telling.ts';

/** Why a call may not run, and what to do instead. */
export async function refusalText(engine: Engine, refused: VibeError): Promise<string> {
  const { code, data, message, hint } = refused;
  if (code !== 'FILE_RESERVED') return [message, hint].filter(Boolean).join(' ');
  const { reserved, owner, expires_at } = data as { reserved: string[]; owner: string; expires_at: string };
  const by = await whoIs(engine, taskOf(owner));
  return `${firstPaths(reserved)}: being changed by ${by}, until its turn ends (reserved until ${expires_at}, and renewed). Work on other files, or try again later.`;
}
