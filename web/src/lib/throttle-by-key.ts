/**
 * Throttles work by key. The first call runs its work at once. Of the calls within the span after it, only the last
 * runs, at the end of the span.
 */
export function atMostOnceIn(spanMs: number): (key: string, work: () => void) => void {
  const spans = new Map<string, (() => void) | undefined>();
  const ask = (key: string, work: () => void) => {
    if (spans.has(key)) {
      spans.set(key, work);
      return;
    }
    spans.set(key, undefined);
    setTimeout(() => {
      const again = spans.get(key);
      spans.delete(key);
      if (again !== undefined) ask(key, again);
    }, spanMs);
    work();
  };
  return ask;
}
