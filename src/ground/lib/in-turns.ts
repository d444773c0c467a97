import { openFairQueue } from './fair-queue.ts';

/** Runs one piece of work of each owner at once. Owners do not wait for each other. */
export function inTurnsOfEach(): <Result>(owner: string, work: () => Promise<Result>) => Promise<Result> {
  const lines = new Map<string, { inTurn: ReturnType<typeof inTurns>; waiting: number }>();
  return async (owner, work) => {
    const line = lines.get(owner) ?? { inTurn: inTurns(1), waiting: 0 };
    lines.set(owner, line);
    line.waiting++;
    try {
      return await line.inTurn(work);
    } finally {
      if (--line.waiting === 0) lines.delete(owner);
    }
  };
}

/**
 * Limits how many pieces of work run at once. The others wait in order.
 * Work may name its owner with `of`. Owners then take turns, so that a long queue of one owner does not delay other
 * owners.
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
      // The next waiter takes over this slot, so `underWay` stays the same.
      const next = waiting.shift();
      if (next === undefined) underWay--;
      else next();
    }
  };
}
