/**
 * A gate that lets so many pieces of work be under way at once; the others wait for their turn, in order. Where it is told
 * whose each one is, those who wait take turns: nobody's long queue keeps another one waiting.
 */
export function inTurns(atOnceMax: number): <Result>(work: () => Promise<Result>, of?: string) => Promise<Result> {
  const waiting = openLines<() => void>();
  let underWay = 0;
  return async (work, of = '') => {
    if (underWay === atOnceMax) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(of, resolve);
      await promise;
    } else underWay++;
    try {
      return await work();
    } finally {
      // Whoever is next takes over this turn.
      const next = waiting.shift();
      if (next === undefined) underWay--;
      else next();
    }
  };
}

/** Who waits, in a line for each owner. */
type Lines<Waiter> = {
  /** @returns takes the waiter out again */
  push(of: string, waiter: Waiter): () => void;
  /** The first in line of the owner whose turn it is; the owner's others go to the end of the round. */
  shift(): Waiter | undefined;
};

export function openLines<Waiter>(): Lines<Waiter> {
  const lines = new Map<string, Set<{ waiter: Waiter }>>();
  return {
    push: (of, waiter) => {
      const place = { waiter };
      const line = lines.get(of) ?? new Set();
      lines.set(of, line.add(place));
      return () => {
        line.delete(place);
        if (line.size === 0 && lines.get(of) === line) lines.delete(of);
      };
    },
    shift: () => {
      for (const [of, line] of lines) {
        lines.delete(of);
        for (const place of line) {
          line.delete(place);
          if (line.size > 0) lines.set(of, line);
          return place.waiter;
        }
      }
      return undefined;
    },
  };
}
