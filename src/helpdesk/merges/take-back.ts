/** A merge that is in force, and what only this merge gave its target: folded tags, or people. */
export type StandingMerge = {
  id: string;
  brought: readonly string[];
  /** Everything that the source has. */
  sourceHas: ReadonlySet<string>;
};

/** A ticket that received the unmerged ticket, directly or through further merges. */
export type Heir = {
  /** The merge that brought it: the undone merge, or the merge of the heir before. */
  by: StandingMerge;
  /** The other merges into this ticket, oldest first. */
  others: readonly StandingMerge[];
  /** The tags or people that the ticket has by now for reasons of its own. */
  own: ReadonlySet<string>;
};

export type TakenBack = {
  /** The tags or people that each heir loses, in the order of `heirs`. */
  lost: string[][];
  /** The new `brought` of each merge that changed, by merge id. Leaves out the undone merge. */
  brought: Map<string, string[]>;
};

/**
 * Works out the tags or people that an unmerge takes back. An heir loses a tag or a person only if the source alone
 * brought it.
 * If another merged ticket has the same, its merge counts as the bringer from now on.
 * Example: A, with tag x, was merged into B, and B into C. Unmerging A takes x from both. If B has x by itself or from
 * another merge, both keep x. If only C has x so, only C keeps x.
 * @param heirs from the ticket into which the source was merged to the survivor
 */
export function takeBack(heirs: readonly Heir[]): TakenBack {
  const lost: string[][] = [];
  const brought = new Map<string, string[]>();
  const now = ({ id, brought: before }: StandingMerge) => brought.get(id) ?? [...before];
  let leaving = [...(heirs[0]?.by.brought ?? [])];
  for (const [level, { by, others, own }] of heirs.entries()) {
    if (level > 0) {
      const before = now(by);
      const left = new Set(leaving);
      leaving = before.filter((key) => left.has(key));
      if (leaving.length > 0)
        brought.set(
          by.id,
          before.filter((key) => !left.has(key)),
        );
    }
    leaving = leaving.filter((key) => {
      if (own.has(key)) return false;
      const another = others.find(({ sourceHas }) => sourceHas.has(key));
      if (another !== undefined) brought.set(another.id, [...now(another), key]);
      return another === undefined;
    });
    lost.push(leaving);
  }
  return { lost, brought };
}
