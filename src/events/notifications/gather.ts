import { languageColumn } from '../../access/accounts/queries.ts';
import type { Performer } from '../../ground/catalog/doer.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { type Hidden, hiddenFrom, sightOf } from '../../ground/database/sight.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { isHiddenFrom, visible } from '../../ground/database/visible.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import { nilId, type TicketId, type UserId, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { Language } from '../../ground/lib/language.ts';
import { isSampleTicket } from '../samples/marks.ts';
import { beginTelling } from './gathered-count.ts';
import { choosesMailbox, wants } from './preferences.ts';
import { queuePushes } from './push/queue-pushes.ts';
import type { Gathered, GatheredType } from './rules.ts';

type Words = { title: string; ofMany: string; withoutMailbox: string };

/**
 * `%s` stands for the ticket, `%n` for the count, and `%m` for the mailbox. Tickets without a mailbox are not named as
 * such: no list has them alone, so the notification leads to all.
 */
const words: Record<GatheredType, Record<Language, Words>> = {
  new_ticket: {
    en: {
      title: 'New ticket %s',
      ofMany: '%n new tickets in %m',
      withoutMailbox: '%n new tickets',
    },
    de: {
      title: 'Neues Ticket %s',
      ofMany: '%n neue Tickets in %m',
      withoutMailbox: '%n neue Tickets',
    },
  },
  unassigned_reply: {
    en: {
      title: 'New reply in %s, which is unassigned',
      ofMany: '%n new replies in unassigned tickets in %m',
      withoutMailbox: '%n new replies in unassigned tickets',
    },
    de: {
      title: 'Neue Antwort in %s, das niemandem zugewiesen ist',
      ofMany: '%n neue Antworten in nicht zugewiesenen Tickets in %m',
      withoutMailbox: '%n neue Antworten in nicht zugewiesenen Tickets',
    },
  },
};

/**
 * Keeps a fact for those who want to hear of it, and notifies whoever sees no unread notification of its mailbox. So a
 * flood of tickets costs each of them one row, however many people it concerns. @returns nobody
 */
export async function gather(
  tx: Tx,
  { workspaceId }: Performer,
  { gathers: type, activityId, ticketId, passedOver }: Gathered & { activityId: string },
): Promise<UserId[]> {
  const fact = { workspaceId, type, activityId, ticketId };
  const [, kept] = await together([beginTelling(tx, workspaceId), keepFact(tx, fact, passedOver)]);
  const untold = kept === undefined ? [] : await findUntold(tx, fact, kept);
  if (kept !== undefined && untold.length > 0) await tell(tx, { ...fact, ...kept }, untold);
  return [];
}

type GatheredFact = { workspaceId: WorkspaceId; type: GatheredType; activityId: string; ticketId: TicketId };
type Kept = {
  mailboxId: string | null;
  /** Who knows of it, or hears of it in another way. */
  passedOver: UserId[];
};

/** @returns undefined if nobody wants to hear of it */
async function keepFact(
  tx: Tx,
  { workspaceId, type, activityId, ticketId }: GatheredFact,
  passedOver: readonly UserId[],
): Promise<Kept | undefined> {
  // Two statements rather than a parameter, for which PostgreSQL would plan anew each time.
  const ofNobody = type === 'new_ticket' ? emptySql : sql`and t.assignee_id is null`;
  return tx.maybe<Kept>(sql`
    insert into gathered_facts (workspace_id, activity_id, type, mailbox_id, ticket_id, passed_over, created_at)
    select t.workspace_id, ${activityId}::uuid, ${type}::text, coalesce(t.mailbox_id, ${nilId}::uuid), t.id,
      array(
        select unnest(${passedOver}::uuid[])
        union
        select t.assignee_id where t.assignee_id is not null
        union
        select f.user_id from ticket_followers f where f.workspace_id = ${workspaceId} and f.ticket_id = t.id
      ),
      ${tx.now}::timestamptz
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId}
      ${ofNobody}
      and t.spam_at is null and t.trashed_at is null and t.merged_into_id is null
      and not ${isSampleTicket(sql`${workspaceId}`, sql`t.id`)}
      and exists (
        select from members m
        join notification_preferences p on p.user_id = m.user_id
        where m.workspace_id = ${workspaceId} and m.removed_at is null and ${wants(type, 'inApp')}
      )
    returning nullif(mailbox_id, ${nilId}::uuid) as "mailboxId", passed_over as "passedOver"`);
}

type Reader = {
  userId: UserId;
  hidden: Hidden;
  language: Language;
  isPushed: boolean;
  /** Their unread notification of the mailbox, which they do not see: its ticket has gone out of their sight. */
  hiddenId: string | null;
};

/** The members who want to hear of a fact, and see no unread notification of its mailbox. */
function findUntold(
  tx: Tx,
  { workspaceId, type, activityId }: GatheredFact,
  { mailboxId, passedOver }: Kept,
): Promise<Reader[]> {
  const isUnread = sql`n.workspace_id = ${workspaceId} and n.user_id = m.user_id and n.type = ${type}
          and n.read_at is null and n.type in ('new_ticket', 'unassigned_reply')
          and n.mailbox_id is not distinct from ${mailboxId}::uuid and n.activity_id <= ${activityId}`;
  return tx.rows<Reader>(sql`
    select m.user_id as "userId", ${hiddenFrom(workspaceId)}, ${languageColumn} as language,
      p.is_pushed as "isPushed", (select n.id from notifications n where ${isUnread} limit 1) as "hiddenId"
    from members m
    join notification_preferences p on p.user_id = m.user_id
    join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.removed_at is null and m.user_id <> all(${passedOver}::uuid[])
      and ${wants(type, 'inApp')}
      and ${choosesMailbox(sql`${type}::text`, sql`${mailboxId}`)}
      -- A value, because the planner would join many notifications of a workspace that it knows too little of.
      and (
        select n.id from notifications n
        where ${isUnread} and not exists (
          select from tickets t
          where t.workspace_id = ${workspaceId} and t.id = n.reference_id
            and ${isHiddenFrom(workspaceId, sql`t`, sql`m`)}
        )
        limit 1
      ) is null
    -- Transactions that tell the same people lock them in one order.
    order by m.user_id
    -- A removal does not wait: the notification of a member who leaves meanwhile goes with the membership.
    for key share of m`);
}

type Named = { name: string; mailboxName: string | null };

async function tell(tx: Tx, fact: GatheredFact & Pick<Kept, 'mailboxId'>, untold: readonly Reader[]): Promise<void> {
  const told = await withNames(tx, fact, untold);
  await together([queuePushes(tx, fact, told), readHidden(tx, fact, told), insertGathered(tx, fact, told)]);
}

/** Makes room for a notification that its person sees. Should the hidden one come back, they have heard of it once. */
async function readHidden(tx: Tx, { workspaceId }: GatheredFact, told: readonly Reader[]): Promise<void> {
  const ids = told.flatMap(({ hiddenId }) => hiddenId ?? []);
  if (ids.length === 0) return;
  await tx.run(sql`
    update notifications set read_at = ${tx.now}, read_transaction_id = pg_current_xact_id()
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and read_at is null`);
}

async function insertGathered(
  tx: Tx,
  { workspaceId, type, activityId, ticketId, mailboxId }: GatheredFact & Pick<Kept, 'mailboxId'>,
  told: readonly (Reader & Named)[],
): Promise<void> {
  await tx.run(sql`
    insert into notifications as n (workspace_id, id, user_id, type, reference_id, activity_id, title, title_of_many,
      mailbox_id, created_at)
    select w.workspace_id, p.id, p.user_id, ${type}::text, ${ticketId}::uuid, ${activityId}::uuid, p.title,
      p.title_of_many, ${mailboxId}::uuid, ${tx.now}::timestamptz
    from ${workspaceRow}
    cross join unnest(${told.map(() => tx.newId())}::uuid[], ${told.map(({ userId }) => userId)}::uuid[],
      ${told.map((reader) => titleOf(type, reader))}::text[],
      ${told.map((reader) => titleOfMany(type, reader))}::text[])
      p (id, user_id, title, title_of_many)
    where w.workspace_id = ${workspaceId}
    -- Another transaction was faster. The notification counts from the first fact.
    on conflict (workspace_id, user_id, type, mailbox_id)
      where read_at is null and type in ('new_ticket', 'unassigned_reply')
      do update set activity_id = excluded.activity_id, reference_id = excluded.reference_id, title = excluded.title
      where excluded.activity_id < n.activity_id`);
}

/** The title of a notification that has gathered one fact. */
export function titleOf(type: GatheredType, { language, name }: { language: Language; name: string }): string {
  return words[type][language].title.replace('%s', () => name);
}

function titleOfMany(type: GatheredType, { language, mailboxName }: Reader & Named): string {
  const { ofMany, withoutMailbox } = words[type][language];
  return mailboxName === null ? withoutMailbox : ofMany.replace('%m', () => mailboxName);
}

/** Those of the readers who see the ticket, with its name. */
async function withNames(
  tx: Tx,
  { workspaceId, ticketId }: GatheredFact,
  readers: readonly Reader[],
): Promise<(Reader & Named)[]> {
  const bySight = Map.groupBy(readers, sightOf);
  const found = await together(
    [...bySight].map(async ([sight, some]) => {
      const named = await tx.maybe<Named>(sql`
        select '#' || t.ticket_number || ' ' || t.subject as name, coalesce(b.name, b.address) as "mailboxName"
        from tickets t
        left join mailboxes b on b.workspace_id = ${workspaceId} and b.id = t.mailbox_id
        where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible({ workspaceId, sight }, 't')}`);
      return named === undefined ? [] : some.map((reader) => ({ ...reader, ...named }));
    }),
  );
  return found.flat();
}
