import { type Random, randomOf } from '../../emulators/random.ts';
import type { Db } from '../../src/ground/database/db.ts';
import { isDatabaseAway } from '../../src/ground/database/faults.ts';
import { sql } from '../../src/ground/database/sql.ts';
import { earlier } from '../../test/harness/earlier.ts';
import type { Desk, HostedBox } from './desk.ts';
import { watchTroubles } from './side.ts';

/** Troubles of mailboxes at their providers, one per call of `strike`. */
export type Weather = { strike(): Promise<void>; counts: Record<string, number> };

export function openWeather(db: Db, desks: readonly Desk[], { seed }: { seed: number }): Weather {
  const random = randomOf(seed, 3);
  const boxes = desks.flatMap(({ workspaceId, mailboxes }) => mailboxes.map((box) => ({ workspaceId, ...box })));
  const counts: Record<string, number> = {};
  const count = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  return {
    counts,
    strike: async () => {
      const box = random.pick(boxes);
      const blow = random.pick(blows);
      try {
        count(await blow(db, box, random));
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        count('troubles left out, the database was busy');
      }
    },
  };
}

type Place = HostedBox & { workspaceId: string };

/** Each returns its name. */
const blows: ((db: Db, place: Place, random: Random) => Promise<string>)[] = [
  async (_db, { side, address }, random) => {
    await side.loseHistory(address, random.below(4));
    return 'cursors lost';
  },
  async (_db, { side, address }) => {
    await side.expireAccess(address);
    return 'tokens ended early';
  },
  async (_db, { side, address }) => {
    await side.refuseTokens(address);
    return 'good tokens refused for a while';
  },
  async (db, { side, address, workspaceId, id }, random) => {
    const kind = random.pick(watchTroubles);
    // Providers report no trouble within minutes of a renewal.
    await ageWatches(db, { workspaceId, id });
    await side.trouble(address, kind);
    return side.provider === 'mail-a' ? `subscriptions: ${kind}` : 'push keys rotated';
  },
];

/** Ages the renewal of a mailbox's watches by a day. */
async function ageWatches(db: Db, { workspaceId, id }: { workspaceId: string; id: string }): Promise<void> {
  await db.tx((tx) =>
    tx.run(sql`
      update mailbox_watches set renewed_at = ${earlier(sql`renewed_at`, '1 day')}
      where workspace_id = ${workspaceId} and mailbox_id = ${id}`),
  );
}
