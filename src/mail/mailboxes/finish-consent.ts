import { hashOfToken } from '../../access/accounts/secret-token.ts';
import type { AuditActor } from '../../access/audit/audit.ts';
import { findWorkspaceOf } from '../../access/workspaces/queries.ts';
import { roleMay } from '../../ground/catalog/permissions.ts';
import type { Db, Queryable, Tx } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import type { Providers } from '../provider.ts';
import type { OAuthKey } from '../providers/registry.ts';
import { verifierContext } from './begin-consent.ts';
import { connectMailbox } from './connect-mailbox.ts';
import { findFormer } from './find-former.ts';
import type { ConnectOptions, MailboxView } from './schema.ts';
import { verifyConsent } from './verify-grant.ts';

/**
 * Proves that the person who brings a code began the consent: by the browser's cookie, or by being signed in.
 * Otherwise an attacker could connect a stranger's mailbox to a workspace of the attacker, or the reverse (RFC 6749
 * §10.12).
 */
type ConsentProof = { browser: string } | AuditActor;

export type FinishConsent = { state: string; code: string; proof: ConsentProof; redirectUri: string };
type ConsentParts = { db: Db; seal: Seal; providers: Providers };

/**
 * Redeems a consent's code and connects the mailbox on behalf of the member who began. Uses up the state, even if the
 * connection fails. Throws 410 when no consent fits the proof, 400 `mailbox.not_authorized`, 403 and 409.
 */
export async function finishConsent(
  { db, seal, providers }: ConsentParts,
  { state, code, proof, redirectUri }: FinishConsent,
): Promise<MailboxView> {
  const consent = await db.tx((tx) => spendConsent(tx, hashOfToken(state), proof));
  if (consent === undefined) throw new AppError('mailbox.consent_expired');
  const { workspaceId, userId, stateHash } = consent;
  const by = 'browser' in proof ? { workspaceId, userId } : proof;
  await refuseUnmade(db, by);
  const { address, sharedAddress, ...options } = consent.options;
  const codeVerifier = Buffer.from(seal.open(consent.codeVerifier, verifierContext(stateHash))).toString();
  const meant = { address, sharedAddress };
  const provider = providers[consent.provider];
  const grant = await verifyConsent(provider, { code, codeVerifier, redirectUri, ...meant });
  const formerId = await findFormer(db, workspaceId, { provider, grant });
  return db.tx((tx) => connectMailbox(tx, seal, by, { provider: consent.provider, grant, options, formerId }));
}

/**
 * Drops a consent that was declined or failed at the provider.
 * @returns the provider it was for
 */
export async function dropConsent(
  tx: Tx,
  { state, proof }: Pick<FinishConsent, 'state' | 'proof'>,
): Promise<OAuthKey | undefined> {
  return (await spendConsent(tx, hashOfToken(state), proof))?.provider;
}

type Consent = {
  stateHash: Buffer;
  workspaceId: WorkspaceId;
  userId: UserId;
  provider: OAuthKey;
  codeVerifier: string;
  options: ConnectOptions & { address?: string; sharedAddress?: string };
};

/** The delete lets only one of two concurrent requests have the consent. */
function spendConsent(tx: Tx, stateHash: Buffer, proof: ConsentProof): Promise<Consent | undefined> {
  return tx.maybe<Consent>(sql`
    delete from mailbox_consents
    where state_hash = ${stateHash} and expires_at > ${tx.now} and ${isOf(proof)}
    returning state_hash as "stateHash", workspace_id as "workspaceId", user_id as "userId", provider,
      code_verifier as "codeVerifier", options`);
}

function isOf(proof: ConsentProof): Sql {
  return 'browser' in proof
    ? sql`browser_hash = ${hashOfToken(proof.browser)}`
    : sql`workspace_id = ${proof.workspaceId} and user_id = ${proof.userId}`;
}

/** The member may have lost the role or membership since the consent began. */
async function refuseUnmade(db: Queryable, membership: AuditActor): Promise<void> {
  const workspace = await findWorkspaceOf(db, membership);
  if (workspace === undefined) throw new AppError('workspace.forbidden');
  if (!roleMay(workspace.role, 'mailbox.manage')) throw new AppError('auth.role_insufficient');
}
