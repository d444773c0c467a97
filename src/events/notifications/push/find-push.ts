import type { Queryable } from '../../../ground/database/db.ts';
import { type Hidden, hiddenFrom, sightOf } from '../../../ground/database/sight.ts';
import { sql } from '../../../ground/database/sql.ts';
import { ofVisible } from '../../../ground/database/visible.ts';
import type { UserId, WorkspaceId } from '../../../ground/lib/ids.ts';
import { firstCodePoints } from '../../../ground/lib/text.ts';
import { withCounts } from '../gathered-count.ts';
import { type NotificationRow, notificationColumns } from '../queries.ts';
import { gatheredTypes } from '../rules.ts';

/** What a browser gets: the words of a notification, and where its click leads. It names no text of a message. */
export type PushMessage = {
  notificationId: string;
  workspaceId: WorkspaceId;
  title: string;
  /** A later notification with the same tag takes the place of this one on the screen. */
  tag: string;
  address: string;
};

/** A push service takes 4,096 bytes. */
const titleCodePointsMax = 300;

type Told = NotificationRow & { ticketNumber: number | null };

/** @returns undefined if it was read meanwhile, or its person may not see it any more */
export async function findPush(
  db: Queryable,
  { workspaceId, userId, activityId }: { workspaceId: WorkspaceId; userId: UserId; activityId: string },
): Promise<PushMessage | undefined> {
  const member = await db.maybe<{ hidden: Hidden }>(sql`
    select ${hiddenFrom(workspaceId)}
    from members m
    where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and m.removed_at is null`);
  if (member === undefined) return undefined;
  const scope = { workspaceId, sight: sightOf({ userId, ...member }) };
  const told = await db.rows<Told>(sql`
    select ${notificationColumns}, (
        select t.ticket_number from tickets t
        where t.workspace_id = ${workspaceId} and t.id = notifications.reference_id
      ) as "ticketNumber"
    from notifications
    where workspace_id = ${workspaceId} and user_id = ${userId} and activity_id = ${activityId} and read_at is null
      and ${ofVisible(scope, 'notifications.reference_id')}`);
  const [counted] = await withCounts(db, scope, told);
  return counted && messageOf(workspaceId, counted);
}

function messageOf(workspaceId: WorkspaceId, told: Told): PushMessage {
  const { id: notificationId, type, referenceId, title, count } = told;
  // The ticket of a notification of several is the last by now.
  const isOfSeveral = count > 1 || gatheredTypes.some((gathered) => gathered === type);
  return {
    notificationId,
    workspaceId,
    title: firstCodePoints(title, titleCodePointsMax),
    tag: isOfSeveral ? notificationId : referenceId,
    address: addressOf(told),
  };
}

/** The page of the web inbox that a notification is about. */
function addressOf({ type, referenceId, mailboxId, count, ticketNumber }: Told): string {
  if (type === 'mailbox') return `/settings/mailboxes/${referenceId}`;
  if (type === 'rule_paused') return `/settings/rules/${referenceId}`;
  if (type === 'team') return `/settings/teams?team=${referenceId}`;
  const isOfMailbox = count > 1 && gatheredTypes.some((gathered) => gathered === type);
  if (!isOfMailbox) return ticketNumber === null ? '/' : `/t/${ticketNumber}`;
  const list = new URLSearchParams({ status: 'open' });
  if (type === 'unassigned_reply') list.set('assignee', 'none');
  if (mailboxId !== null) list.set('mailbox', mailboxId);
  return `/?${list}`;
}
