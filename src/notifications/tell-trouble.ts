import type { SystemMail } from '../catalog/jobs.ts';
import { type Tx, together } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';
import { enqueue } from '../queue/enqueue.ts';
import { type MailboxTrouble, managerRoles, titleOfTrouble } from './rules.ts';

const peopleMax = 50;

/**
 * Notifies owners and admins that a mailbox cannot be read or cannot send, in Kontor and by mail, as each of them
 * prefers. The mail goes out at once, and digests omit the notification.
 */
export async function tellTrouble(
  tx: Tx,
  { workspaceId, activityId }: { workspaceId: WorkspaceId; activityId: string },
  trouble: MailboxTrouble,
): Promise<void> {
  const { mailboxId, field, status } = trouble;
  const people = await tx.rows<{ userId: UserId; inApp: boolean; isMailed: boolean }>(sql`
    select m.user_id as "userId", coalesce((p.types->'mailbox'->>'inApp')::boolean, true) as "inApp",
      coalesce((p.types->'mailbox'->>'email')::boolean, true) as "isMailed"
    from members m
    left join notification_preferences p on p.user_id = m.user_id
    where m.workspace_id = ${workspaceId} and m.role = any(${managerRoles}::text[]) and m.removed_at is null
    order by m.user_id
    limit ${peopleMax}
    for key share of m`);
  const shown = people.filter(({ inApp }) => inApp);
  const mailed = people.filter(({ isMailed }) => isMailed);
  await together([
    tx.run(sql`
      insert into notifications
        (workspace_id, id, user_id, type, reference_id, activity_id, title, mailed_at, created_at)
      select ${workspaceId}, p.id, p.user_id, 'mailbox', ${mailboxId}, ${activityId}, ${titleOfTrouble(trouble)},
        case when p.is_mailed then ${tx.now}::timestamptz end, ${tx.now}
      from unnest(${shown.map(() => tx.newId())}::uuid[], ${shown.map(({ userId }) => userId)}::uuid[],
        ${shown.map(({ isMailed }) => isMailed)}::boolean[]) p (id, user_id, is_mailed)`),
    ...mailed.map(({ userId }) => {
      const mail: SystemMail = { kind: 'mailbox-trouble', workspaceId, userId, mailboxId, field, status };
      return enqueue(tx, 'system-mail.send', mail);
    }),
  ]);
}
