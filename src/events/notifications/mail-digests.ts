import type { App } from '../../app.ts';
import { type Db, type Tx, together } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { nilId, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { isSampleTicket } from '../samples/marks.ts';
import { isCountedFor } from './gathered-count.ts';
import { choosesMailbox, defaults, keepDefaults } from './preferences.ts';

type Recipient = { userId: UserId; workspaceId: WorkspaceId };

const batchMax = 500;
/** Ranks digests behind mailed links: many digests are due at once, while people wait for links to reset passwords. */
const behindLinks = 10;
const beforeAnybody: Recipient = { userId: nilId, workspaceId: nilId };

/** Finds all due digests and enqueues their mails: one mail for each user and workspace. */
export async function mailDigests({ db, clock }: App): Promise<void> {
  for (let last: Recipient | undefined = beforeAnybody; last !== undefined; ) {
    const due: Recipient[] = await findDue(db, clock.now(), last);
    for (const recipient of due) await db.tx((tx) => orderDigest(tx, recipient));
    last = due.at(-1);
  }
}

/** Gives the user time to see a notification on the screen first. */
const quietSeconds = 30;
/** Digests omit older notifications: a user who turns digests on should not get a backlog. */
const newsDays = 7;
/** One minute less than the interval, because the job runs once a minute. */
const paceMinutes = { hourly: 59, daily: 24 * 60 - 1 };

/** How often the user of preferences `p` wants mail. Users who have chosen nothing have no row. */
const pace = sql`coalesce(p.digest, ${defaults.digest})`;

/**
 * Whether a notification `n` waits for a digest, by its user's preferences `p`: it was in none yet. Another condition
 * than that of gathered ones, because each has its own index. Digests omit sample tickets.
 */
const isInNone = (now: Date): Sql =>
  sql`n.read_at is null and n.mailed_at is null and ${isNews(now, sql`n.created_at`)} and ${isMailed}`;

/** Or it has gathered more since. The person may have turned the type off meanwhile, or left the mailbox out. */
const hasGathered = (now: Date): Sql => sql`n.read_at is null and n.type in ('new_ticket', 'unassigned_reply')
  and ${isMailed} and ${wantsIts('inApp')} and ${choosesMailbox(sql`n.type`, sql`n.mailbox_id`)}
  and exists (
    select from gathered_facts g
    where ${isCountedFor(sql`n`)} and g.created_at > n.mailed_at and ${isNews(now, sql`g.created_at`)})`;

const wantsIts = (way: 'inApp' | 'email'): Sql =>
  sql`((${JSON.stringify(defaults.types)}::jsonb || coalesce(p.types, '{}'))->n.type->>${way}::text)::boolean`;

const isMailed = sql`${wantsIts('email')} and not ${isSampleTicket(sql`n.workspace_id`, sql`n.reference_id`)}`;

const isNews = (now: Date, at: Sql): Sql => sql`${at} < ${now}::timestamptz - make_interval(secs => ${quietSeconds})
  and ${at} > ${now}::timestamptz - make_interval(days => ${newsDays})`;

/**
 * Whether a digest is due after the last digest `d`. Citus misreads a `case` in an update, so the paces are
 * alternatives. Ignores a last digest in the future: a fast clock wrote it.
 */
const isItsTime = (now: Date): Sql => sql`(${pace} = 'at_once' or d.mailed_at is null
  or ${pace} = 'hourly' and d.mailed_at <= ${now}::timestamptz - make_interval(mins => ${paceMinutes.hourly})
  or d.mailed_at <= ${now}::timestamptz - make_interval(mins => ${paceMinutes.daily})
  or d.mailed_at > ${now}::timestamptz + make_interval(mins => ${paceMinutes.hourly}))`;

function findDue(db: Db, now: Date, after: Recipient): Promise<Recipient[]> {
  const ofMember = sql`n.workspace_id = m.workspace_id and n.user_id = m.user_id`;
  return db.rows(sql`
    select m.user_id as "userId", m.workspace_id as "workspaceId"
    from members m
    join users u on u.id = m.user_id and u.email_verified_at is not null
    left join notification_preferences p on p.user_id = m.user_id
    left join notification_digests d on d.workspace_id = m.workspace_id and d.user_id = m.user_id
    where m.removed_at is null and ${pace} <> 'off'
      and (m.user_id, m.workspace_id) > (${after.userId}::uuid, ${after.workspaceId}::uuid)
      and ${isItsTime(now)} and (
        exists (select from notifications n where ${ofMember} and ${isInNone(now)})
        or exists (select from notifications n where ${ofMember} and ${hasGathered(now)})
      )
    order by m.user_id, m.workspace_id
    limit ${batchMax}`);
}

/** Of two concurrent calls the second waits, and then finds no digest due or no notification left. */
async function orderDigest(tx: Tx, { userId, workspaceId }: Recipient): Promise<void> {
  const kept = await tx.run(sql`select from notification_preferences where user_id = ${userId} for no key update`);
  // The mail needs a key of its reader, for the link that ends such mails.
  if (kept === 0) await keepDefaults(tx, userId);
  const recipient = { userId, workspaceId };
  const told = await together([
    markMailed(tx, recipient, isInNone(tx.now)),
    markMailed(tx, recipient, hasGathered(tx.now)),
  ]);
  if (told.every((count) => count === 0)) return;
  await tx.run(sql`
    insert into notification_digests (workspace_id, user_id, mailed_at)
    select workspace_id, user_id, ${tx.now} from members where workspace_id = ${workspaceId} and user_id = ${userId}
    on conflict (workspace_id, user_id) do update set mailed_at = excluded.mailed_at`);
  const mailedAt = tx.now.toISOString();
  const digest = { kind: 'notification-digest', workspaceId, userId, mailedAt } as const;
  await enqueue(tx, 'system-mail.send', digest, { priority: behindLinks });
}

/** Says of the notifications that wait that a digest has them now. @returns how many they are */
function markMailed(tx: Tx, { userId, workspaceId }: Recipient, isWaiting: Sql): Promise<number> {
  return tx.run(sql`
    update notifications n set mailed_at = ${tx.now}
    from notification_preferences p
    left join notification_digests d on d.workspace_id = ${workspaceId} and d.user_id = p.user_id
    where n.workspace_id = ${workspaceId} and n.user_id = ${userId} and p.user_id = ${userId} and p.digest <> 'off'
      and ${isItsTime(tx.now)} and ${isWaiting}`);
}
