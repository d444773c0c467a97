/**
 * Has one tab of this browser do something for all of them; when it goes, another takes over.
 * @param lead begins it and returns what ends it
 * @returns what leaves the others, and ends it where this tab was the one
 */
export function leadOrFollow(name: string, lead: () => () => void): () => void {
  const { locks } = navigator;
  // Browsers have locks on secure pages alone; elsewhere each tab is its own.
  if (locks === undefined) return lead();
  const left = new AbortController();
  const ended = new Promise<void>((resolve) => left.signal.addEventListener('abort', () => resolve()));
  locks
    .request(name, { signal: left.signal }, async () => {
      if (left.signal.aborted) return;
      const end = lead();
      await ended;
      end();
    })
    .catch((error: unknown) => {
      if (!left.signal.aborted) throw error;
    });
  return () => left.abort();
}
