/** What a resolver that reads prose is asked. */

import type { ConflictedFile } from './conflicted-file.ts';

export function resolverPrompt({
  path,
  merge,
  agent_intent,
  inferred_external_intent,
}: ConflictedFile): string {
  const conflicts = merge.conflicts.map(
    ({ ours, theirs }, index) => `Conflict ${index + 1} of ${merge.conflicts.length}:
<<<<<<< OURS (the agent's change)
${text(ours)}=======
${text(theirs)}>>>>>>> THEIRS (the outside change)
`,
  );
  return `This file has a merge conflict; choose the best resolution.

File: ${path}

${conflicts.join('\n')}
The whole file as merged so far, conflicts between markers:
${text(merge.bytes)}
Context:
- What the agent intends: ${agent_intent || 'not known'}
- What the outside change probably intends: ${inferred_external_intent || 'not known'}

Answer with the whole merged file and nothing else: no markers, no explanation, no code fence.
`;
}

function text(bytes: Uint8Array): string {
  const content = Buffer.from(bytes).toString();
  return content === '' || content.endsWith('\n') ? content : `${content}\n`;
}
