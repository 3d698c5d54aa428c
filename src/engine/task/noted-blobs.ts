/** Which blobs a journal refers to. */
import { blobIdsIn, looksLikeReference } from '../../checkpoint/values/blob-ref.ts';
import type { Entry } from './entries.ts';

/** Adds the blobs that values of the entry refer to; `done`: its result is not needed again. */
export function noteBlobs(blobs: Set<string>, entry: Entry, done: boolean): void {
  switch (entry.t) {
    case 'begin':
    case 'failure':
    case 'step':
      if (entry.t === 'step' && !done) note(blobs, entry.result);
      note(blobs, entry.tool?.input);
      note(blobs, entry.context);
      break;
    case 'agent':
      if (!done) note(blobs, entry.result);
      break;
    case 'result':
      note(blobs, entry.result);
      break;
    case 'message':
      note(blobs, entry.content);
      break;
    case 'tool':
      note(blobs, entry.input);
      note(blobs, entry.output);
      break;
    case 'answer':
    case 'set':
      note(blobs, entry.value);
      break;
    case 'verified':
      note(blobs, entry.results);
  }
}

function note(blobs: Set<string>, value: unknown): void {
  if (looksLikeReference(value)) for (const id of blobIdsIn(value)) blobs.add(id);
}
