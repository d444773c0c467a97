/** Sets that grow by joining: all joined names are one conversation. */
export type Conversations = {
  join(names: readonly string[]): void;
  /** The same name for all members of a set, however they were joined. */
  of(name: string): string;
};

export function openConversations(): Conversations {
  const parents = new Map<string, string>();
  const of = (name: string): string => {
    let root = name;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    // Shortens the path for later lookups.
    for (let at = name; at !== root; ) {
      const next = parents.get(at) ?? root;
      parents.set(at, root);
      at = next;
    }
    return root;
  };
  return {
    of,
    join: ([first, ...others]) => {
      if (first === undefined) return;
      for (const other of others) {
        const [root, otherRoot] = [of(first), of(other)];
        if (root !== otherRoot) parents.set(otherRoot, root);
      }
    },
  };
}
