import { audit } from '../../access/audit/audit.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import { keepOwnAddress } from '../../access/workspaces/update-workspace.ts';
import type { Db, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { isEmailAddress } from '../../ground/http/schema.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { Logger } from '../../ground/platform/log.ts';
import type { MailboxProfile, ProviderAccount } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { traitsOf } from '../providers/registry.ts';
import { addressRoute } from './address-route.ts';
import { readAliases } from './addresses.ts';
import type { Mailbox } from './queries.ts';

/**
 * Takes over a mailbox's addresses from the provider, because its administrator may change them. Gmail then notifies
 * under the new address, and answers leave from it. Addresses that the provider does not return stay unchanged.
 * @returns the mailbox as it is now
 */
export async function followProfile(
  { db, log }: { db: Db; log: Pick<Logger, 'warn'> },
  mailbox: Mailbox,
  account: ProviderAccount,
): Promise<Mailbox> {
  if (!traitsOf(mailbox.provider).listsAliases) return mailbox;
  // A shared mailbox is addressed by its address, and its profile is not readable.
  if (mailbox.delegateAddress !== null) return mailbox;
  const profile = await profileOf(account);
  if (profile === undefined) return mailbox;
  const aliases = await readAliases(account, profile);
  const isRenamed = caseKey(profile.address) !== caseKey(mailbox.address) && isEmailAddress(profile.address);
  if (isRenamed && !(await db.tx((tx) => rename(tx, mailbox, profile)))) {
    const { workspaceId, id: mailboxId } = mailbox;
    log.warn({ workspaceId, mailboxId }, 'a mailbox has a new address that another mailbox already has here');
    return mailbox;
  }
  if (aliases !== null) await db.tx((tx) => saveAliases(tx, mailbox, aliases));
  return isRenamed ? { ...mailbox, address: profile.address } : mailbox;
}

/** Ignores faults: the other requests for this mailbox report them. */
async function profileOf(account: ProviderAccount): Promise<MailboxProfile | undefined> {
  try {
    return await account.profile();
  } catch (error) {
    if (error instanceof ProviderFault) return undefined;
    throw error;
  }
}

/** The unique route decides the race with another mailbox that is being connected under the same address. */
async function rename(
  tx: Tx,
  { workspaceId, id, provider, address: former }: Mailbox,
  { address, userId }: MailboxProfile,
): Promise<boolean> {
  await lockWorkspace(tx, workspaceId);
  const isStill = await tx.maybe(sql`
    select 1 from mailboxes
    where workspace_id = ${workspaceId} and id = ${id} and status <> 'disconnected' and address_key = ${caseKey(former)}
      and coalesce(provider_user_id = ${userId}, true)
    for no key update`);
  if (isStill === undefined) return false;
  const taken = await tx.run(sql`
    insert into mailbox_routes (provider, route_key, workspace_id, mailbox_id)
    values (${provider}, ${addressRoute(provider, address)}, ${workspaceId}, ${id})
    on conflict (provider, route_key) do nothing`);
  if (taken === 0) return false;
  await tx.run(sql`
    delete from mailbox_routes where provider = ${provider} and route_key = ${addressRoute(provider, former)}
      and workspace_id = ${workspaceId} and mailbox_id = ${id}`);
  await tx.run(sql`
    update mailboxes set address = ${address}, address_key = ${caseKey(address)}, updated_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${id}`);
  await keepOwnAddress(tx, workspaceId, former);
  const service = { workspaceId, userId: null };
  await audit(tx, service, { type: 'mailbox.changed', subjectId: id, data: { changed: ['address'] } });
  return true;
}

async function saveAliases(tx: Tx, { workspaceId, id }: Mailbox, aliases: string[]): Promise<void> {
  const changed = await tx.run(sql`
    update mailboxes set aliases = ${aliases}::text[]
    where workspace_id = ${workspaceId} and id = ${id} and aliases <> ${aliases}::text[]`);
  if (changed > 0) tx.revokes();
}
