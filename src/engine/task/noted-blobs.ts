/** Which blobs a journal refers to. */
import { blobIdsIn, looksLikeReference } from '../../checkpoint/values/blob-ref.ts';
import type { Entry } from './entries.ts';

/** Adds the blobs that values of the entry refer to; `done`: its result is not needed again. */
export function noteBlobs(blobs: Set<string>, entry: Entry, done: boolean): void {
  const note = (value: unknown): void => {
    if (looksLikeReference(value)) for (const id of blobIdsIn(value)) blobs.add(id);
  };
  switch (entry.t) {
    case 'begin':
    case 'failure':
    case 'step':
      if (entry.t === 'step' && !done) note(entry.result);
      note(entry.tool?.input);
      note(entry.context);
      break;
    case 'agent':
      if (!done) note(entry.result);
      break;
    case 'result':
      note(entry.result);
      break;
    case 'message':
      note(entry.content);
      break;
    case 'tool':
      note(entry.input);
      note(entry.output);
      break;
    case 'answer':
    case 'set':
      note(entry.value);
      break;
    case 'verified':
      note(entry.results);
  }
}
