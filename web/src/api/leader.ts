/**
 * Elects one tab of this browser as leader. When the leader closes, another tab takes over.
 * @param lead starts the leader's work and returns a function that stops it
 * @returns a function that leaves the election, and stops the work if this tab leads
 */
export function leadOrFollow(name: string, lead: () => () => void): () => void {
  const { locks } = navigator;
  // Browsers offer locks only on secure pages. On other pages each tab acts as leader.
  if (locks === undefined) return lead();
  const leaving = new AbortController();
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  locks
    .request(name, { signal: leaving.signal }, async () => {
      if (leaving.signal.aborted) return;
      const end = lead();
      await left;
      end();
    })
    .catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error;
    });
  return () => {
    leaving.abort();
    leave();
  };
}
