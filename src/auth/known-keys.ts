const knownMax = 20_000;

/**
 * The API keys that the gate has let in lately, so that the rate limit, which stands before the gate, counts each as a
 * caller of its own. Nothing is let in by it; a secret that was never good counts by its address.
 */
export type KnownKeys = {
  remember(secret: string, keyId: string): void;
  idOf(secret: string): string | undefined;
};

export function openKnownKeys(): KnownKeys {
  const ids = new Map<string, string>();
  return {
    remember: (secret, keyId) => {
      if (ids.size >= knownMax && !ids.has(secret)) ids.clear();
      ids.set(secret, keyId);
    },
    idOf: (secret) => ids.get(secret),
  };
}
