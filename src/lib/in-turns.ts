/** A gate that lets so many pieces of work be under way at once; the others wait for their turn, in order. */
export function inTurns(atOnceMax: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (work) => {
    if (underWay === atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay++;
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
