const knownMax = 20_000;

/**
 * Remembers API keys that the gate has admitted. The rate limit runs before the gate, and uses these ids to count each
 * key separately. An unknown secret counts by its IP address. This cache grants no access.
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
