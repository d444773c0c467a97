import type { Clock } from '../../ground/lib/clock.ts';

/** Every process sees a revocation within this time; the process that revokes clears its cache at once. */
const keptMs = 1_000;
const keptMax = 20_000;

/** Caches the access that the gate found for callers, and the own addresses of their workspaces. */
export type AccessCache = {
  /** Returns the cached value or calls `find`. Does not cache undefined. */
  know<Found>(key: string, find: () => Promise<Found>): Promise<Found>;
  clear(): void;
};

type CachedAccess = { access: unknown; askedAtMs: number };

export function openAccessCache(clock: Clock): AccessCache {
  let kept = new Map<string, CachedAccess>();
  return {
    know: async <Found>(key: string, find: () => Promise<Found>) => {
      // The value may be as old as its question, so its time counts from there.
      const askedAtMs = clock.now().getTime();
      const known = kept.get(key);
      // The cast holds: only `find` of the same key has stored this value.
      if (known !== undefined && isRecent(known, askedAtMs)) return known.access as Found;
      const keptBefore = kept;
      const access = await find();
      // If access was revoked meanwhile, this value may be outdated: it goes into the old map, which nobody reads.
      if (access !== undefined) {
        if (keptBefore.size >= keptMax) keptBefore.clear();
        keptBefore.set(key, { access, askedAtMs });
      }
      return access;
    },
    clear: () => {
      kept = new Map();
    },
  };
}

/** A negative age means that the clock was set back. The entry would then live too long. */
function isRecent({ askedAtMs }: CachedAccess, nowMs: number): boolean {
  const ageMs = nowMs - askedAtMs;
  return ageMs >= 0 && ageMs < keptMs;
}
