/** A queue that serves its owners in turn (round robin), however many waiters each owner has. */
type FairQueue<Waiter> = {
  /** @returns a function that removes the waiter */
  push(owner: string, waiter: Waiter): () => void;
  /** Removes the first waiter of the owner whose turn it is, and moves the owner to the end of the round. */
  shift(): Waiter | undefined;
};

export function openFairQueue<Waiter>(): FairQueue<Waiter> {
  const lines = new Map<string, Set<{ waiter: Waiter }>>();
  return {
    push: (owner, waiter) => {
      const place = { waiter };
      const line = lines.get(owner) ?? new Set();
      lines.set(owner, line.add(place));
      return () => {
        line.delete(place);
        if (line.size === 0 && lines.get(owner) === line) lines.delete(owner);
      };
    },
    shift: () => {
      for (const [owner, line] of lines) {
        lines.delete(owner);
        for (const place of line) {
          line.delete(place);
          if (line.size > 0) lines.set(owner, line);
          return place.waiter;
        }
      }
      return undefined;
    },
  };
}
