import type { Db } from '../../ground/database/db.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import type { Logger } from '../../ground/platform/log.ts';
import type { ProviderKey } from '../../mail/providers/registry.ts';
import { openGatherer } from './gather.ts';
import { type Poke, routeOf } from './poke.ts';
import { queueWork, routePokes } from './queue-work.ts';
import type { Tally } from './tally.ts';
import { openUnprovenPace } from './unproven-pace.ts';

export type Intake = {
  /**
   * Resolves once all work of these items is committed.
   * @param pokes of verified items; undefined for an item that names no mailbox
   * Throws `unavailable`.
   */
  take(provider: ProviderKey, pokes: readonly (Poke | undefined)[]): Promise<void>;
};

/** Queues the work of provider notifications and counts them. */
export function openIntake({ db, clock, log, tally }: { db: Db; clock: Clock; log: Logger; tally: Tally }): Intake {
  const pace = openUnprovenPace();
  const gatherer = openGatherer(async (pokes) => {
    const routed = await routePokes(db, pokes, (mailboxId) => pace.nextTurn(mailboxId, clock.now()));
    await db.tx((tx) => queueWork(tx, routed));
    return new Set(routed.map(({ poke }) => routeOf(poke)));
  }, log);
  return {
    take: async (provider, pokes) => {
      const named = pokes.filter((poke) => poke !== undefined);
      const known = await gatherer.add(named);
      const queued = named.filter((poke) => known.has(routeOf(poke))).length;
      const dropped = pokes.length - queued;
      tally.add(provider, 'queued', queued);
      tally.add(provider, 'dropped', dropped);
      if (dropped > 0) log.debug({ provider, dropped }, 'notifications for unknown mailboxes were dropped');
    },
  };
}
