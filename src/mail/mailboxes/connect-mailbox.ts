import { type AuditActor, audit } from '../../access/audit/audit.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import { keepOwnAddress } from '../../access/workspaces/update-workspace.ts';
import type { MailboxKey } from '../../ground/catalog/jobs.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { foldTags } from '../../ground/lib/fold-tags.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import { leaseEnded } from '../../ground/queue/lease.ts';
import type { ProviderKey } from '../providers/registry.ts';
import { addressRoute } from './address-route.ts';
import { sealedTokens } from './credentials.ts';
import { checkDefaultAssignee } from './default-assignee.ts';
import { forgetIds } from './forget-ids.ts';
import { forgetListener } from './listening/listeners.ts';
import { getMailbox, type Mailbox, mailboxesMax } from './queries.ts';
import { beginAllOf } from './request-sync.ts';
import type { ConnectOptions, MailboxView } from './schema.ts';
import { saveServer } from './servers/servers.ts';
import { changeState } from './status/write.ts';
import type { MailboxAccess } from './verify-grant.ts';

export type ConnectMailbox = {
  provider: ProviderKey;
  grant: MailboxAccess;
  options: ConnectOptions;
  /** The same mailbox under its former address (`findFormer`). */
  formerId: string | null;
};

type Known = Pick<Mailbox, 'id' | 'address' | 'status' | 'defaultAssigneeId' | 'defaultTags' | 'signature'> & {
  name: string | null;
  userId: UserId | null;
};
const dayMs = 86_400_000;

/**
 * Connects a mailbox whose access was verified. A known mailbox that does not work, or was disconnected, is connected
 * again, and its tickets are answered through it. Throws 409 when the mailbox works here or belongs to another
 * workspace, or the workspace has too many.
 */
export async function connectMailbox(
  tx: Tx,
  seal: Seal,
  by: AuditActor,
  { provider, grant, options, formerId }: ConnectMailbox,
): Promise<MailboxView> {
  const { workspaceId } = by;
  const { address } = grant;
  await lockWorkspace(tx, workspaceId);
  const known = await findKnown(tx, { workspaceId, provider, address, formerId });
  if (known?.status === 'active' && caseKey(known.address) === caseKey(address))
    throw new AppError('mailbox.already_connected');
  const isBack = known !== undefined && known.status !== 'disconnected';
  if (!isBack) await refuseTooManyMailboxes(tx, workspaceId);
  await checkDefaultAssignee(tx, workspaceId, options.defaultAssigneeId);
  const mailbox = { workspaceId, mailboxId: known?.id ?? tx.newId() };
  await saveMailbox(tx, seal, { ...mailbox, provider, grant, options, known, isBack });
  if (known !== undefined) await changeState(tx, mailbox, { kind: 'connect' }, { userId: by.userId });
  await takeRoute(tx, { ...mailbox, provider, address, former: known?.address ?? address });
  await together([
    ...(grant.server === undefined ? [] : [saveServer(tx, seal, mailbox, grant.server), forgetListener(tx, mailbox)]),
    // Its folders may have other places now.
    ...(known !== undefined && !isBack && grant.server !== undefined ? [forgetIds(tx, mailbox)] : []),
    saveSync(tx, { ...mailbox, options, isSameUser: isBack && known.userId === grant.userId }),
    // Its watches may have ended silently with its access.
    tx.run(sql`
      update mailbox_watches set expires_at = ${tx.now}
      where workspace_id = ${workspaceId} and mailbox_id = ${mailbox.mailboxId}`),
    audit(tx, by, { type: 'mailbox.connected', subjectId: mailbox.mailboxId, data: { provider, address } }),
    beginAllOf(tx, mailbox),
  ]);
  return getMailbox(tx, mailbox);
}

/**
 * Finds the mailbox with this address, or the connected mailbox with the former id. Prefers a connected mailbox to the
 * last disconnected mailbox. Locks it until the commit.
 */
function findKnown(
  tx: Tx,
  {
    workspaceId,
    provider,
    address,
    formerId,
  }: { workspaceId: WorkspaceId; provider: ProviderKey; address: string; formerId: string | null },
): Promise<Known | undefined> {
  return tx.maybe<Known>(sql`
    select id, address, status, name, default_assignee_id as "defaultAssigneeId",
      default_tags as "defaultTags", signature, provider_user_id as "userId"
    from mailboxes
    where workspace_id = ${workspaceId} and provider = ${provider}
      and (address_key = ${caseKey(address)} or (id = ${formerId} and status <> 'disconnected'))
    order by status = 'disconnected', connected_at desc
    limit 1
    for no key update`);
}

async function refuseTooManyMailboxes(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) from mailboxes where workspace_id = ${workspaceId} and status <> 'disconnected'`);
  if (count >= mailboxesMax) throw new AppError('mailbox.too_many', { max: mailboxesMax });
}

type Saved = MailboxKey & Omit<ConnectMailbox, 'formerId'> & { known: Known | undefined; isBack: boolean };

/** Options that are left out keep their former values. */
async function saveMailbox(
  tx: Tx,
  seal: Seal,
  { workspaceId, mailboxId, provider, grant, options, known, isBack }: Saved,
): Promise<void> {
  const sealed =
    grant.tokens === null ? undefined : sealedTokens(seal, { workspaceId, id: mailboxId }, grant.tokens, tx.now);
  const { name, defaultAssigneeId = null, defaultTags, signature } = { ...known, ...options };
  tx.revokes();
  await tx.run(sql`
    insert into mailboxes (workspace_id, id, provider, address, address_key, name, status, status_changed_at,
      default_assignee_id, default_tags, signature, history_days, provider_user_id, delegate_address, aliases,
      refresh_token, access_token, access_expires_at, connected_at, created_at, updated_at)
    values (${workspaceId}, ${mailboxId}, ${provider}, ${grant.address}, ${caseKey(grant.address)}, ${name || null},
      'active', ${tx.now}, ${defaultAssigneeId}, ${foldTags(defaultTags ?? [], 'body.defaultTags')}::text[],
      ${signature || null}, ${options.historyDays ?? 0}, ${grant.userId}, ${grant.delegateAddress},
      ${grant.aliases ?? []}::text[], ${sealed?.refreshToken ?? null}, ${sealed?.accessToken ?? null},
      ${sealed?.expiresAt ?? null},
      ${tx.now}, ${tx.now}, ${tx.now})
    on conflict (workspace_id, id) do update
    set address = excluded.address, address_key = excluded.address_key, name = excluded.name,
      default_assignee_id = excluded.default_assignee_id,
      default_tags = excluded.default_tags, signature = excluded.signature, history_days = excluded.history_days,
      provider_user_id = excluded.provider_user_id, delegate_address = excluded.delegate_address,
      aliases = case when ${grant.aliases === null} then mailboxes.aliases else excluded.aliases end,
      refresh_token = excluded.refresh_token, access_token = excluded.access_token,
      access_expires_at = excluded.access_expires_at, ${leaseEnded('refresh')}, updated_at = excluded.updated_at,
      connected_at = case when ${isBack} then mailboxes.connected_at else excluded.connected_at end`);
}

/** The unique route lets only one of two workspaces connect an address. */
async function takeRoute(
  tx: Tx,
  {
    workspaceId,
    mailboxId,
    provider,
    address,
    former,
  }: MailboxKey & { provider: ProviderKey; address: string; former: string },
): Promise<void> {
  const taken = await tx.run(sql`
    insert into mailbox_routes (provider, route_key, workspace_id, mailbox_id)
    values (${provider}, ${addressRoute(provider, address)}, ${workspaceId}, ${mailboxId})
    on conflict (provider, route_key) do update set mailbox_id = excluded.mailbox_id
    where mailbox_routes.workspace_id = ${workspaceId} and mailbox_routes.mailbox_id = ${mailboxId}`);
  if (taken === 0) throw new AppError('mailbox.already_connected');
  if (caseKey(former) === caseKey(address)) return;
  await keepOwnAddress(tx, workspaceId, former);
  await tx.run(sql`
    delete from mailbox_routes
    where provider = ${provider} and route_key = ${addressRoute(provider, former)}
      and workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
}

/** A mailbox that was read before continues from its cursor, so it misses no mail. */
async function saveSync(
  tx: Tx,
  { workspaceId, mailboxId, options, isSameUser }: MailboxKey & { options: ConnectOptions; isSameUser: boolean },
): Promise<void> {
  const days = options.historyDays ?? 0;
  const since = days > 0 ? new Date(tx.now.getTime() - days * dayMs) : null;
  const page = days > 0 ? '' : null;
  await tx.run(sql`
    insert into mailbox_syncs (workspace_id, mailbox_id, history_page, history_since)
    values (${workspaceId}, ${mailboxId}, ${page}, ${since})
    on conflict (workspace_id, mailbox_id) do update
    set cursor = case when ${isSameUser} then mailbox_syncs.cursor end,
      synced_at = case when ${isSameUser} then mailbox_syncs.synced_at end,
      history_page = case
        when ${isSameUser} and ${days === 0} then mailbox_syncs.history_page
        else excluded.history_page
      end,
      history_since = case
        when ${isSameUser} and ${days === 0} then mailbox_syncs.history_since
        else excluded.history_since
      end,
      -- A running sync with the former access saves nothing more.
      ${leaseEnded('sync')}, not_before = null, failures = 0, last_fault = null,
      refused_since = null`);
}
