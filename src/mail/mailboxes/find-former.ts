import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { OAuthProvider, ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { type Grant, openGranted } from './verify-grant.ts';

/** Checks several of the newest mails, because some may have been deleted. */
const mailsAsked = 3;

/**
 * Finds an already connected mailbox that was renamed since, under its former address. Gmail and shared mailboxes have
 * no user ids. There the ids of its mails identify the mailbox, because no other mailbox has them.
 * @returns its id; null when the mailbox is new, or known by its present address
 */
export async function findFormer(
  db: Queryable,
  workspaceId: WorkspaceId,
  { provider, grant }: { provider: OAuthProvider; grant: Grant },
): Promise<string | null> {
  const mailboxes = await db.rows<{ id: string; isSame: boolean; isSameUser: boolean; mails: string[] }>(sql`
    select m.id, m.address_key = ${caseKey(grant.address)} as "isSame",
      coalesce(m.provider_user_id = ${grant.userId}, false) as "isSameUser",
      case when m.provider_user_id is null then array(
        select l.provider_id
        from mailbox_mails l
        where l.workspace_id = ${workspaceId} and l.mailbox_id = m.id
        order by l.raw_mail_id desc
        limit ${mailsAsked}) else '{}' end as mails
    from mailboxes m
    where m.workspace_id = ${workspaceId} and m.provider = ${provider.key} and m.status <> 'disconnected'
    order by m.id`);
  if (mailboxes.some(({ isSame }) => isSame)) return null;
  const sameUser = mailboxes.find(({ isSameUser }) => isSameUser);
  if (sameUser !== undefined || grant.userId !== null) return sameUser?.id ?? null;
  const sharedAddress = grant.delegateAddress === null ? undefined : grant.address;
  const account = openGranted(provider, grant.tokens, sharedAddress);
  for (const { id, mails } of mailboxes) if (await holdsAny(account, mails)) return id;
  return null;
}

/** Ignores faults. An unrecognised mailbox is read twice, but each mail is still taken once. */
async function holdsAny(account: ProviderAccount, mails: readonly string[]): Promise<boolean> {
  for (const mail of mails)
    try {
      if (await account.holds(mail)) return true;
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
    }
  return false;
}
