import { type Queryable, type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { folderKinds } from '../mail/providers/graph-folders.ts';
import { traitsOf } from '../mail/providers/registry.ts';
import { forgetWatches } from '../mailboxes/forget-watches.ts';
import { requestSync, watchJobKey } from '../mailboxes/request-sync.ts';
import { addCandidates, type NamedMail } from '../mailflow/sync/stuck-mails.ts';
import { enqueueAll, type KeyedJob } from '../queue/enqueue.ts';
import { type Poke, routeOf } from './poke.ts';

/** A poke with the correlation id of its request. */
export type TracedPoke = Poke & { correlationId: string | undefined; mailIds: Set<string> };

type Route = Pick<Poke, 'provider' | 'routeKey'> & {
  workspaceId: WorkspaceId;
  mailboxId: string;
  watchKey: string | null;
};

/** A poke with its mailbox. */
type RoutedPoke = {
  poke: TracedPoke;
  route: Route;
  /** When an unproven poke may cause work; null for a proven one. */
  turn: Date | null;
};

/**
 * Finds the mailboxes of pokes, and takes the turns of unproven ones. Comes before the transaction, which may run twice
 * and would take two turns.
 * @param pokes at most one per route
 */
export async function routePokes(
  db: Queryable,
  pokes: readonly TracedPoke[],
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
 * Begins the work of the pokes: at most one sync and one watch per mailbox, and for Gmail a second sync. The sync also
 * fetches the mails that the pokes name.
 */
export async function queueWork(tx: Tx, routed: readonly RoutedPoke[]): Promise<void> {
  const syncs: { route: Route; dueAt: Date }[] = [];
  const watches = new Map<string, KeyedJob>();
  for (const { poke, route, turn } of routed) {
    const dueAt = turn ?? tx.now;
    if (poke.wantsSync) syncs.push({ route, dueAt });
    if (!poke.wantsWatch) continue;
    // A later job has a key of its own, so that it does not delay a waiting one.
    const key = `${watchJobKey(route.mailboxId)}${dueAt > tx.now ? ':unproven' : ''}`;
    const { workspaceId, mailboxId } = route;
    const { correlationId } = poke;
    watches.set(key, { name: 'mailbox.watch', payload: { workspaceId, mailboxId }, key, runAt: dueAt, correlationId });
  }
  // One order everywhere prevents a deadlock between two transactions that write the same rows.
  syncs.sort((one, other) => (one.route.mailboxId < other.route.mailboxId ? -1 : 1));
  const named = routed.flatMap(namedMailsOf);
  const goneIds = routed.filter(({ poke }) => poke.isWatchGone).map(({ poke }) => poke.routeKey);
  await together([
    ...syncs.map(({ route, dueAt }) => requestSync(tx, route, { dueAt, againAt: againAt(route, dueAt) })),
    ...(goneIds.length > 0 ? [forgetWatches(tx, goneIds)] : []),
    ...(named.length > 0 ? [addCandidates(tx, named)] : []),
    ...(watches.size > 0 ? [enqueueAll(tx, [...watches.values()])] : []),
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
