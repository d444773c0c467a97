import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { InviteReference } from '../accounts/link-token.ts';
import { acceptInvite } from './accept-invite.ts';

/** Nobody has this many pending invitations; the limit bounds the query. */
const invitesMax = 20;

/**
 * Locks the newest pending invitation of an address to each workspace, so that nobody revokes it meanwhile. Two steps,
 * because on Citus a lock of rows names their workspace.
 */
export async function lockInvitesOf(tx: Tx, email: string): Promise<InviteReference[]> {
  const pending = sql`accepted_at is null and revoked_at is null and expires_at > ${tx.now}`;
  const found = await tx.rows<InviteReference>(sql`
    select i.workspace_id as "workspaceId", i.id as "inviteId"
    from invites i
    where i.email_key = ${caseKey(email)} and ${pending}
    order by i.workspace_id, i.id desc
    limit ${invitesMax}`);
  const locked = await together(
    found.map(({ workspaceId, inviteId }) =>
      tx.rows<InviteReference>(sql`
        select workspace_id as "workspaceId", id as "inviteId"
        from invites
        where workspace_id = ${workspaceId} and id = ${inviteId} and ${pending}
        for no key update`),
    ),
  );
  const waiting = locked.flat();
  return waiting.filter(({ workspaceId }, index) => workspaceId !== waiting[index - 1]?.workspaceId);
}

export async function acceptInvites(tx: Tx, invites: readonly InviteReference[], userId: UserId): Promise<void> {
  for (const invite of invites) await acceptInvite(tx, { ...invite, userId });
}
