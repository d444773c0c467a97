import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { forgetWatches, renewWatches } from '../../mail/mailboxes/renew-watches.ts';
import { requestSync } from '../../mail/mailboxes/request-sync.ts';
import { folderKinds } from '../../mail/providers/graph-folders.ts';
import { traitsOf } from '../../mail/providers/registry.ts';
import { addCandidates, type NamedMail } from '../mailflow/sync/stuck-mails.ts';
import { type Poke, routeOf } from './poke.ts';

/** A poke with the mails that it names. */
export type GatheredPoke = Poke & { mailIds: Set<string> };

type Route = Pick<Poke, 'provider' | 'routeKey'> & {
  workspaceId: WorkspaceId;
  mailboxId: string;
  watchKey: string | null;
};

/** A poke with its mailbox. */
type RoutedPoke = {
  poke: GatheredPoke;
  route: Route;
  /** When an unproven poke may cause work; null for a proven poke. */
  turn: Date | null;
};

/**
 * Finds the mailboxes of pokes, and takes a turn for each unproven poke. Comes before the transaction, which may run
 * twice and would take two turns.
 * @param pokes at most one per route
 */
export async function routePokes(
  db: Queryable,
  pokes: readonly GatheredPoke[],
  nextTurn: (mailboxId: string) => Date,
): Promise<RoutedPoke[]> {
  const byRoute = new Map(pokes.map((poke) => [routeOf(poke), poke]));
  const routes = await db.rows<Route>(sql`
    select r.provider, r.route_key as "routeKey", r.workspace_id as "workspaceId", r.mailbox_id as "mailboxId",
      r.watch_key as "watchKey"
    from unnest(${pokes.map(({ provider }) => provider)}::text[], ${pokes.map(({ routeKey }) => routeKey)}::text[])
      p (provider, route_key)
    join mailbox_routes r on r.provider = p.provider and r.route_key = p.route_key`);
  return routes.flatMap((route) => {
    const poke = byRoute.get(routeOf(route));
    return poke === undefined ? [] : [{ poke, route, turn: poke.isProven ? null : nextTurn(route.mailboxId) }];
  });
}

/**
 * Begins the work of the pokes: at most one sync per mailbox, for Gmail a second sync, and renewals of watches. The
 * sync also fetches the mails that the pokes name.
 */
export async function queueWork(tx: Tx, routed: readonly RoutedPoke[]): Promise<void> {
  // One order everywhere prevents a deadlock between two transactions that write the same rows.
  const sorted = routed.toSorted((one, other) => (one.route.mailboxId < other.route.mailboxId ? -1 : 1));
  const syncs = sorted.flatMap(({ poke, route, turn }) => (poke.wantsSync ? [{ route, dueAt: turn ?? tx.now }] : []));
  const watched = sorted.filter(({ poke }) => poke.wantsWatch);
  const named = routed.flatMap(namedMailsOf);
  const goneIds = routed.filter(({ poke }) => poke.isWatchGone).map(({ poke }) => poke.routeKey);
  await together([
    ...syncs.map(({ route, dueAt }) => requestSync(tx, route, { dueAt, againAt: againAt(route, dueAt) })),
    ...(goneIds.length > 0 ? [forgetWatches(tx, goneIds)] : []),
    ...(named.length > 0 ? [addCandidates(tx, named)] : []),
    ...watched.map(({ route }) => renewWatches(tx, route)),
  ]);
}

function namedMailsOf({ poke, route: { workspaceId, mailboxId, watchKey } }: RoutedPoke): NamedMail[] {
  const folder = watchKey === 'sentitems' ? folderKinds[watchKey] : folderKinds.inbox;
  return [...poke.mailIds].map((providerId) => ({ workspaceId, mailboxId, providerId, folder }));
}

function againAt({ provider }: Route, dueAt: Date): Date | null {
  const { lookAgainMs } = traitsOf(provider);
  return lookAgainMs === null ? null : new Date(dueAt.getTime() + lookAgainMs);
}
