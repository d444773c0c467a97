import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import type { Config } from '../../ground/settings/config.ts';
import { mintInvitationToken } from '../accounts/link-token.ts';
import type { Invite, SentInvite } from './schema.ts';

type HandOver = { invite: Invite; config: Pick<Config, 'mail' | 'publicUrl' | 'isEmailVerificationRequired'> };

/**
 * Adds a link that the inviter hands over, where no mail is sent. The link proves no address, so there is none where
 * addresses must be proven.
 */
export async function handOver(tx: Tx, { workspaceId }: Actor, { invite, config }: HandOver): Promise<SentInvite> {
  if (config.mail.kind !== 'outbox' || config.isEmailVerificationRequired) return invite;
  const token = await mintInvitationToken(tx, 'handed-invitation', { ...invite, workspaceId });
  return { ...invite, link: `${config.publicUrl}/accept-invite?token=${token}` };
}
