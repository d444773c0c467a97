import type { Live } from '../database/live.ts';
import type { Clock } from '../lib/clock.ts';

/** Limits how long a change that bypasses the service, such as manual SQL, stays unseen. */
const keptMsMax = 30_000;
const keptMax = 20_000;

/**
 * Caches the access that the gate found for callers. A revocation in any process clears the whole cache. While this
 * process may miss revocations of others, the cache answers nothing.
 */
export type Standings = {
  /** Returns the cached value or calls `find`. Does not cache undefined. */
  know<Found>(key: string, find: () => Promise<Found>): Promise<Found>;
};

type Kept = { standing: unknown; keptAtMs: number };

export function openStandings({ live, clock }: { live: Pick<Live, 'followLosses'>; clock: Clock }): Standings {
  const kept = new Map<string, Kept>();
  let losses = 0;
  const isInformed = live.followLosses(() => {
    losses++;
    kept.clear();
  });
  return {
    know: async <Found>(key: string, find: () => Promise<Found>) => {
      const known = isInformed() ? kept.get(key) : undefined;
      // The cast holds: only `find` of the same key has stored this value.
      if (known !== undefined && isRecent(known, clock.now())) return known.standing as Found;
      const lossesBefore = losses;
      const standing = await find();
      if (standing !== undefined && losses === lossesBefore) {
        if (kept.size >= keptMax) kept.clear();
        kept.set(key, { standing, keptAtMs: clock.now().getTime() });
      }
      return standing;
    },
  };
}

/** A negative age means that the clock was set back. The entry would then live too long. */
function isRecent({ keptAtMs }: Kept, now: Date): boolean {
  const ageMs = now.getTime() - keptAtMs;
  return ageMs >= 0 && ageMs < keptMsMax;
}
