/**
 * Elects one tab of this browser as leader. When the leader closes, another tab takes over.
 * @param lead starts the leader's work and returns a function that stops it
 * @returns a function that leaves the election, and stops the work if this tab leads
 */
export function leadOrFollow(name: string, lead: () => () => void): () => void {
  const { locks } = navigator;
  // Browsers offer locks only on secure pages. Elsewhere every tab leads itself.
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
