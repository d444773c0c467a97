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
      const line = waiting.get(of);
      if (line === undefined) waiting.set(of, [resolve]);
      else line.push(resolve);
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
  for (const [of, line] of waiting) {
    const next = line.shift();
    waiting.delete(of);
    if (line.length > 0) waiting.set(of, line);
    return next;
  }
  return undefined;
}
