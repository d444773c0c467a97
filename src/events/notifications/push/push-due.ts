import type { App } from '../../../app.ts';
import { type Queryable, type Tx, together } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../../ground/queue/due-work.ts';
import { findPush } from './find-push.ts';
import type { PushOutcome } from './push-sender.ts';
import { dropPushSubscriptions, listPushSubscriptions, type PushSubscription } from './subscriptions.ts';

type PushKey = { workspaceId: WorkspaceId; id: string };

/** Longer than the requests and settling their results can take. */
const claimSeconds = 60;
/** How long after an attempt the next one comes. */
const restsSeconds = [30, 120, 600];
/** Nobody wants to hear of it later: the list of notifications has it. */
const lateMs = 3_600_000;

/**
 * One of each person, and none while another of theirs is being sent: a person whose push service never answers keeps
 * one place of the others at most.
 */
export function listDuePushes(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select first.workspace_id as "workspaceId", first.id
    from (
      select distinct on (p.workspace_id, p.user_id) p.workspace_id, p.id, p.due_at
      from pushes p
      where p.due_at <= ${now} ${within(sql`p.workspace_id`)} ${except(sql`p.id`)}
        and not exists (
          select from pushes own
          where own.workspace_id = p.workspace_id and own.user_id = p.user_id and not (true ${except(sql`own.id`)})
        )
      order by p.workspace_id, p.user_id, p.due_at, p.id
    ) first
    order by first.due_at, first.id
    limit ${rowsMax}`);
}

/** Sends a notification to the browsers of its person. */
export async function sendPush({ db, clock, push }: Pick<App, 'db' | 'clock' | 'push'>, key: PushKey): Promise<void> {
  const claimed = await db.tx((tx) => claim(tx, key));
  if (claimed === undefined) return;
  const { userId, activityId, sessionIds, createdAt } = claimed;
  const [all, workspace] = await together([
    listPushSubscriptions(db, { userId, now: clock.now() }),
    db.maybe<{ requireSecondFactor: boolean }>(sql`
      select require_second_factor as "requireSecondFactor" from workspaces where id = ${key.workspaceId}`),
  ]);
  if (all.length === 0) return db.tx((tx) => endPushing(tx, key, userId));
  const isLate = clock.now().getTime() - Date.parse(createdAt) > lateMs;
  const message = isLate ? undefined : await findPush(db, { ...key, userId, activityId });
  if (message === undefined) return db.tx((tx) => drop(tx, key));
  // The gate lets these sessions into the workspace.
  const admitted = all.filter(({ hasSecondFactor }) => hasSecondFactor || workspace?.requireSecondFactor === false);
  const targets = admitted.filter(({ sessionId }) => sessionIds?.includes(sessionId) ?? true);
  const topic = message.notificationId.replaceAll('-', '');
  const results = await Promise.all(
    targets.map(async (target) => ({ target, outcome: await push.send(target, message, topic) })),
  );
  await db.tx((tx) => settle(tx, { ...key, ...claimed }, results));
}

type Claimed = {
  userId: UserId;
  activityId: string;
  sessionIds: string[] | null;
  attempts: number;
  createdAt: string;
};

/** Returns undefined if another process has it, or it is gone. */
function claim(tx: Tx, { workspaceId, id }: PushKey): Promise<Claimed | undefined> {
  return tx.maybe<Claimed>(sql`
    update pushes
    set attempts = attempts + 1, due_at = ${tx.now}::timestamptz + make_interval(secs => ${claimSeconds})
    where workspace_id = ${workspaceId} and id = ${id} and due_at <= ${tx.now}
    returning user_id as "userId", activity_id as "activityId", session_ids as "sessionIds", attempts,
      created_at as "createdAt"`);
}

async function drop(tx: Tx, { workspaceId, id }: PushKey): Promise<void> {
  await tx.run(sql`delete from pushes where workspace_id = ${workspaceId} and id = ${id}`);
}

/** Notes that no browser of the person gets notifications any more, unless one has subscribed meanwhile. */
async function endPushing(tx: Tx, key: PushKey, userId: UserId): Promise<void> {
  await tx.run(sql`select from notification_preferences where user_id = ${userId} for no key update`);
  if ((await listPushSubscriptions(tx, { userId, now: tx.now })).length === 0)
    await tx.run(sql`update notification_preferences set is_pushed = false where user_id = ${userId} and is_pushed`);
  await drop(tx, key);
}

async function settle(
  tx: Tx,
  { workspaceId, id, attempts }: PushKey & Claimed,
  results: readonly { target: PushSubscription; outcome: PushOutcome }[],
): Promise<void> {
  const those = (wanted: PushOutcome) => results.flatMap(({ target, outcome }) => (outcome === wanted ? [target] : []));
  await dropPushSubscriptions(tx, those('gone'));
  const rest = restsSeconds[attempts - 1];
  const left = those('later').map(({ sessionId }) => sessionId);
  if (left.length === 0 || rest === undefined) return drop(tx, { workspaceId, id });
  await tx.run(sql`
    update pushes
    set session_ids = ${left}::uuid[], due_at = ${tx.now}::timestamptz + make_interval(secs => ${rest})
    where workspace_id = ${workspaceId} and id = ${id}`);
}
