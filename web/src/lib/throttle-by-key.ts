/**
 * Throttles work by key. The first call runs its work at once. Calls during the next `spanMs` wait. When that time
 * ends, the last of them runs and opens the next span.
 */
export function throttleByKey(spanMs: number): (key: string, work: () => void) => void {
  const waiting = new Map<string, (() => void) | undefined>();
  const call = (key: string, work: () => void) => {
    if (waiting.has(key)) {
      waiting.set(key, work);
      return;
    }
    waiting.set(key, undefined);
    setTimeout(() => {
      const last = waiting.get(key);
      waiting.delete(key);
      if (last !== undefined) call(key, last);
    }, spanMs);
    work();
  };
  return call;
}
