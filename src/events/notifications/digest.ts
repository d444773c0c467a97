import { languageColumn } from '../../access/accounts/queries.ts';
import type { SystemMail } from '../../ground/catalog/jobs.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Hidden, hiddenFrom, sightOf } from '../../ground/database/sight.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import type { Language } from '../../ground/lib/language.ts';
import { titleOf } from './gathered-count.ts';

/** The content of one digest mail about a workspace. */
export type Digest = {
  email: string;
  workspaceName: string;
  language: Language;
  unsubscribeKey: Buffer;
  /** Newest first, at most 50. */
  titles: string[];
  count: number;
};

const titlesMax = 50;

/** @returns undefined when everything was read meanwhile, or the user no longer wants or may no longer get the mail */
export async function findDigest(
  db: Queryable,
  { workspaceId, userId, mailedAt }: SystemMail & { kind: 'notification-digest' },
): Promise<Digest | undefined> {
  const recipient = await db.maybe<Omit<Digest, 'titles' | 'count'> & { hidden: Hidden }>(sql`
    select ${hiddenFrom(workspaceId)}, u.email, w.name as "workspaceName", p.unsubscribe_key as "unsubscribeKey",
      ${languageColumn} as language
    from notification_preferences p
    join users u on u.id = p.user_id and u.email_verified_at is not null
    join members m on m.workspace_id = ${workspaceId} and m.user_id = p.user_id and m.removed_at is null
    join workspaces w on w.id = ${workspaceId}
    where p.user_id = ${userId} and p.digest <> 'off'`);
  if (recipient === undefined) return undefined;
  const { hidden, ...head } = recipient;
  const scope = { workspaceId, sight: sightOf({ userId, hidden }) };
  const found = await db.rows<{ title: string; count: number }>(sql`
    select ${titleOf(scope)} as title, count(*) over () as count
    from notifications
    where workspace_id = ${workspaceId} and user_id = ${userId} and read_at is null and mailed_at = ${mailedAt}
      and ${ofVisible(scope, 'notifications.reference_id')}
    order by id desc
    limit ${titlesMax}`);
  const count = found[0]?.count;
  return count === undefined ? undefined : { ...head, titles: found.map(({ title }) => title), count };
}
