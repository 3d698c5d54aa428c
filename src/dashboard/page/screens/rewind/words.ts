/** What the same things are called where a task's changes go, and where those of another task come. */
const REWIND = {
  goes: 'page.rewind.goes',
  put_back: 'page.rewind.put_back',
  conflict: 'page.rewind.conflict',
  deleted: 'page.rewind.ask.deleted',
  own_lines: 'page.rewind.own_lines',
  use_checkpoint: 'page.choice.use_checkpoint',
  merge: 'page.choice.merge',
  ours: 'page.rewind.lines.ours',
  base: 'page.rewind.lines.base',
} as const;

const TAKE = {
  ...REWIND,
  goes: 'page.take.comes',
  put_back: 'page.take.put',
  conflict: 'page.take.conflict',
  deleted: 'page.take.deleted',
  own_lines: 'page.take.lines',
  use_checkpoint: 'page.take.use_checkpoint',
  merge: 'page.take.merge',
  ours: 'page.take.lines.ours',
  base: 'page.take.lines.base',
} as const;

export type Words = typeof REWIND | typeof TAKE;

export const wordsFor = (verb: string): Words => (verb === 'take' ? TAKE : REWIND);
