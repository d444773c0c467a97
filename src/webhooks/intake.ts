import type { Db } from '../database/db.ts';
import type { ProviderKey } from '../mail/providers/registry.ts';
import type { Logger } from '../platform/log.ts';
import { openGatherer } from './gather.ts';
import { type Poke, routeOf } from './poke.ts';
import { queueWork } from './queue-work.ts';
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
export function openIntake({ db, log, tally }: { db: Db; log: Logger; tally: Tally }): Intake {
  const pace = openUnprovenPace();
  const gatherer = openGatherer((pokes) => db.tx((tx) => queueWork(tx, pokes, pace)), log);
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
