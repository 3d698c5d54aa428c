/** A step whose command ran is done, even if the command failed; this tells readers that it did. Pure. */

/** `result` as JSON, which may be cut off. By its exit code, or the signal that ended it; one that is not known is not failed. */
export function commandFailed({
  name,
  result,
}: {
  readonly name: string;
  readonly result: string | null;
}): boolean {
  return name === 'tool:shell' && FAILED.test(result ?? '');
}

const FAILED = /^\{"code":(?:-?[1-9]\d*|null,"signal":")/;
