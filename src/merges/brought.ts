/** A merge that stands, and what its target has by it alone: folded tags, or people. */
export type StandingMerge = {
  id: string;
  brought: readonly string[];
  /** What its source has. */
  sourceHas: ReadonlySet<string>;
};

/** A ticket into which the unmerged one came, directly or through others. */
export type Heir = {
  /** The merge by which it came: the one that is undone, or that of the heir before. */
  by: StandingMerge;
  /** The other merges into this ticket, the oldest first. */
  others: readonly StandingMerge[];
  /** What the ticket has for reasons of its own by now. */
  own: ReadonlySet<string>;
};

export type TakenBack = {
  /** What each heir loses, in the order given. */
  lost: string[][];
  /** What merges brought from now on, by their id, where that changed. The one that is undone is not among them. */
  brought: Map<string, string[]>;
};

/**
 * What an unmerge takes back: at each ticket that the source came to only what the source alone brought. What another
 * merged ticket has too counts as brought by that one from now on.
 * @param heirs from the ticket into which the source was merged to the one that survived
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
