import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { folderKinds } from '../mail/providers/graph-folders.ts';
import { traitsOf } from '../mail/providers/registry.ts';
import { lookAgainJobKey, syncJobKey, watchJobKey } from '../mailboxes/enqueue-sync.ts';
import { forgetWatches } from '../mailboxes/forget-watches.ts';
import { addCandidates, type NamedMail } from '../mailflow/sync/stuck-mails.ts';
import { enqueueAll, type KeyedJob } from '../queue/enqueue.ts';
import { type Poke, routeOf } from './poke.ts';
import type { UnprovenPace } from './unproven-pace.ts';

/** A poke with the correlation id of its request. */
export type TracedPoke = Poke & { correlationId: string | undefined; mailIds: Set<string> };

type Route = Pick<Poke, 'provider' | 'routeKey'> & {
  workspaceId: WorkspaceId;
  mailboxId: string;
  watchKey: string | null;
};

/**
 * Queues the work of the pokes: at most one sync and one watch per mailbox, and for Gmail a second sync. They replace
 * equal waiting jobs. The sync also fetches the mails that the pokes name.
 * @param pokes at most one per route
 * @returns the routes that lead to a mailbox
 */
export async function queueWork(
  tx: Tx,
  pokes: readonly TracedPoke[],
  pace: UnprovenPace,
): Promise<ReadonlySet<string>> {
  const byRoute = new Map(pokes.map((poke) => [routeOf(poke), poke]));
  const routes = await tx.rows<Route>(sql`
    select r.provider, r.route_key as "routeKey", r.workspace_id as "workspaceId", r.mailbox_id as "mailboxId",
      r.watch_key as "watchKey"
    from unnest(${pokes.map(({ provider }) => provider)}::text[], ${pokes.map(({ routeKey }) => routeKey)}::text[])
      p (provider, route_key)
    join mailbox_routes r on r.provider = p.provider and r.route_key = p.route_key`);
  const jobs = new Map<string, KeyedJob>();
  for (const route of routes) {
    const poke = byRoute.get(routeOf(route));
    if (poke === undefined) continue;
    for (const job of jobsOf(route, poke, { now: tx.now, pace })) jobs.set(job.key, job);
  }
  const named = routes.flatMap((route) => namedMailsOf(route, byRoute.get(routeOf(route))));
  const goneIds = pokes.filter(({ isWatchGone }) => isWatchGone).map(({ routeKey }) => routeKey);
  await together([
    ...(goneIds.length > 0 ? [forgetWatches(tx, goneIds)] : []),
    ...(named.length > 0 ? [addCandidates(tx, named)] : []),
    ...(jobs.size > 0 ? [enqueueAll(tx, [...jobs.values()])] : []),
  ]);
  return new Set(routes.map(routeOf));
}

function namedMailsOf({ workspaceId, mailboxId, watchKey }: Route, poke: TracedPoke | undefined): NamedMail[] {
  const folder = watchKey === 'sentitems' ? folderKinds[watchKey] : folderKinds.inbox;
  return [...(poke?.mailIds ?? [])].map((providerId) => ({ workspaceId, mailboxId, providerId, folder }));
}

function jobsOf(route: Route, poke: TracedPoke, { now, pace }: { now: Date; pace: UnprovenPace }): KeyedJob[] {
  const { provider, workspaceId, mailboxId } = route;
  const { wantsSync, wantsWatch, isProven, correlationId } = poke;
  const traced = { payload: { workspaceId, mailboxId }, correlationId };
  const jobs: KeyedJob[] = [];
  const runAt = isProven ? now : pace.nextTurn(mailboxId, now);
  if (runAt > now) {
    // Uses keys of their own, so that they do not delay a waiting job.
    if (wantsSync) jobs.push({ name: 'mailbox.sync', key: unprovenKey(syncJobKey(mailboxId)), runAt, ...traced });
    if (wantsWatch) jobs.push({ name: 'mailbox.watch', key: unprovenKey(watchJobKey(mailboxId)), runAt, ...traced });
    return jobs;
  }
  if (wantsSync) {
    const sync = { name: 'mailbox.sync', key: syncJobKey(mailboxId), ...traced } as const;
    jobs.push(sync);
    const { lookAgainMs } = traitsOf(provider);
    if (lookAgainMs !== null)
      jobs.push({ ...sync, key: lookAgainJobKey(mailboxId), runAt: new Date(now.getTime() + lookAgainMs) });
  }
  if (wantsWatch) jobs.push({ name: 'mailbox.watch', key: watchJobKey(mailboxId), ...traced });
  return jobs;
}

const unprovenKey = (key: string): string => `${key}:unproven`;
