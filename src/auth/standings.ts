import type { Live } from '../database/live.ts';
import type { Clock } from '../lib/clock.ts';

/** So long at most, should a row ever be changed by other hands than the service's. */
const keptMsMax = 30_000;
const keptMax = 20_000;

/**
 * What the gate found out about callers lately. It is forgotten whole as soon as anything was taken from anybody, in
 * whatever process, and nothing is known while it is not certain that this process would have heard of that.
 */
export type Standings = {
  /** What is known under the key, or what `find` finds; nothing is kept of what it does not find. */
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
      // Only `find` of the same key has put it there.
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

/** A clock that was put back would otherwise make it last until it has caught up. */
function isRecent({ keptAtMs }: Kept, now: Date): boolean {
  const ageMs = now.getTime() - keptAtMs;
  return ageMs >= 0 && ageMs < keptMsMax;
}
