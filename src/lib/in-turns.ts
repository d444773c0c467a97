/**
 * A gate that lets so many pieces of work be under way at once; the others wait for their turn, in order. Where it is told
 * whose each one is, those who wait take turns: nobody's long queue keeps another one waiting.
 */
export function inTurns(atOnceMax: number): <Result>(work: () => Promise<Result>, of?: string) => Promise<Result> {
  const waiting = new Map<string, (() => void)[]>();
  let underWay = 0;
  return async (work, of = '') => {
    if (underWay === atOnceMax) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(of, [...(waiting.get(of) ?? []), resolve]);
      await promise;
    } else underWay++;
    try {
      return await work();
    } finally {
      // Whoever is next takes over this turn.
      const next = nextOf(waiting);
      if (next === undefined) underWay--;
      else next();
    }
  };
}

/** The first in line of whoever's turn it is; the others of theirs go to the end of the round. */
function nextOf(waiting: Map<string, (() => void)[]>): (() => void) | undefined {
  for (const [of, [next, ...others]] of waiting) {
    waiting.delete(of);
    if (others.length > 0) waiting.set(of, others);
    return next;
  }
  return undefined;
}
