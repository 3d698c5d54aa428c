/** Text of tasks: always a text node, with hidden characters shown as their numbers. */
import { partsOf } from '../lib/shown.ts';

export function Text({ of }: { readonly of: string }) {
  return (
    <>
      {partsOf(of).map((part, at) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span class="hidden-character" key={at}>
            {part.code}
          </span>
        ),
      )}
    </>
  );
}
