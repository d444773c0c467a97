import { openFairQueue } from './fair-queue.ts';

/**
 * A gate that lets so many pieces of work be under way at once; the others wait for their turn, in order. Where it is told
 * whose each one is, those who wait take turns: nobody's long queue keeps another one waiting.
 */
export function inTurns(atOnceMax: number): <Result>(work: () => Promise<Result>, of?: string) => Promise<Result> {
  const waiting = openFairQueue<() => void>();
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
