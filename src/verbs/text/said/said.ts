/**
 * What the rooms below say, by English template: in traditional, in simplified characters. `{0}` is put in as it is, since
 * it may be a name; `{0!}` is translated in its turn, for it is something that we say.
 */
export type Said = Readonly<Record<string, readonly [hant: string, hans: string]>>;
