import { audit } from '../../access/audit/audit.ts';
import { requireTeam } from '../../access/teams/queries.ts';
import { refuseInUse } from '../../access/uses/refuse-in-use.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { jsonOf, sql } from '../../ground/database/sql.ts';
import { changedFields } from '../../ground/lib/changed-fields.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { foldTags } from '../../ground/lib/fold-tags.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { leaseEnded } from '../../ground/queue/lease.ts';
import { traitsOf } from '../providers/registry.ts';
import { checkDefaultAssignee } from './default-assignee.ts';
import { lockMailbox } from './lock-mailbox.ts';
import { getMailbox } from './queries.ts';
import { renewWatches } from './renew-watches.ts';
import { beginAllOf, requestSync } from './request-sync.ts';
import type { MailboxOptions, MailboxView } from './schema.ts';
import type { MailboxRequest } from './status/state.ts';
import { changeState } from './status/write.ts';

type MailboxParams = { mailboxId: string };
type OtherOption = 'aliases' | 'sendAs' | 'teamId' | 'whenAnswered';

/** Changes the given fields. Unchanged values leave no entry in the audit log. */
export async function updateMailbox(
  tx: Tx,
  actor: Actor,
  { mailboxId, ...input }: MailboxParams & MailboxOptions & Partial<Pick<MailboxView, OtherOption>>,
): Promise<MailboxView> {
  const { workspaceId } = actor;
  if (!(await lockMailbox(tx, { workspaceId, mailboxId }))) throw new AppError('mailbox.not_found');
  await checkDefaultAssignee(tx, workspaceId, input.defaultAssigneeId);
  const before = await getMailbox(tx, { workspaceId, mailboxId });
  for (const name of ['aliases', 'sendAs'] as const)
    if (input[name] !== undefined && traitsOf(before.provider).listsAliases)
      throw invalidRequest({ path: `body.${name}`, key: 'read_from_provider' });
  const { name, signature, defaultTags, defaultAssigneeId, teamId, whenAnswered, ...other } = { ...before, ...input };
  if (teamId !== null && teamId !== before.teamId) await requireTeam(tx, workspaceId, teamId);
  const after = {
    aliases: withoutCopies(other.aliases, before.address),
    sendAs: withoutCopies(other.sendAs, before.address),
    name: name || null,
    defaultAssigneeId,
    defaultTags: foldTags(defaultTags, 'body.defaultTags'),
    teamId,
    signature: signature || null,
    whenAnswered,
  };
  const changed = changedFields(before, after);
  if (changed.length === 0) return before;
  if (changed.includes('aliases') || changed.includes('sendAs')) tx.revokes();
  await together([
    tx.run(sql`
      update mailboxes
      set name = ${after.name}, default_assignee_id = ${after.defaultAssigneeId},
        default_tags = ${after.defaultTags}::text[], team_id = ${after.teamId}, signature = ${after.signature},
        aliases = ${after.aliases}::text[], send_as = ${after.sendAs}::text[],
        when_answered = ${jsonOf(after.whenAnswered)}::jsonb,
        updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${mailboxId}`),
    audit(tx, actor, { type: 'mailbox.changed', subjectId: mailboxId, data: { changed } }),
  ]);
  return getMailbox(tx, { workspaceId, mailboxId });
}

/** Each address once, without the mailbox's own. */
function withoutCopies(aliases: readonly string[], address: string): string[] {
  const byKey = new Map(aliases.map((alias) => [caseKey(alias), alias]));
  byKey.delete(caseKey(address));
  return [...byKey.values()];
}

/** Stops reading and sending until the mailbox is resumed. */
export async function pauseMailbox(tx: Tx, actor: Actor, { mailboxId }: MailboxParams): Promise<MailboxView> {
  const mailbox = { workspaceId: actor.workspaceId, mailboxId };
  if (await request(tx, actor, mailboxId, 'pause'))
    await audit(tx, actor, { type: 'mailbox.paused', subjectId: mailboxId, data: {} });
  return getMailbox(tx, mailbox);
}

/** Makes the mailbox active again. Requests a sync and queues the waiting answers. */
export async function resumeMailbox(tx: Tx, actor: Actor, { mailboxId }: MailboxParams): Promise<MailboxView> {
  const mailbox = { workspaceId: actor.workspaceId, mailboxId };
  if (await request(tx, actor, mailboxId, 'resume'))
    await together([
      audit(tx, actor, { type: 'mailbox.resumed', subjectId: mailboxId, data: {} }),
      beginAllOf(tx, mailbox),
    ]);
  return getMailbox(tx, mailbox);
}

/** Requests a sync now, and that its addresses are read anew. Throws 409 when the mailbox is not active. */
export async function syncNow(tx: Tx, actor: Actor, { mailboxId }: MailboxParams): Promise<MailboxView> {
  const mailbox = { workspaceId: actor.workspaceId, mailboxId };
  const view = await getMailbox(tx, mailbox);
  if (view.status !== 'active') throw new AppError('mailbox.not_active', { status: view.status });
  await together([requestSync(tx, mailbox), renewWatches(tx, mailbox)]);
  return view;
}

/**
 * Disconnects the mailbox and frees its address for another connection, in any workspace. Its tickets and mails stay.
 * Due work (`stop-mailbox.ts`) ends its watches at the provider and deletes its credentials.
 */
export async function disconnectMailbox(tx: Tx, actor: Actor, { mailboxId }: MailboxParams): Promise<void> {
  const { workspaceId } = actor;
  const { provider, address } = await getMailbox(tx, { workspaceId, mailboxId });
  await refuseInUse(tx, workspaceId, { kind: 'mailbox', id: mailboxId });
  if (!(await request(tx, actor, mailboxId, 'disconnect'))) throw new AppError('mailbox.not_found');
  tx.revokes();
  tx.touch(workspaceId);
  await together([
    tx.run(sql`delete from mailbox_routes where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`),
    audit(tx, actor, { type: 'mailbox.disconnected', subjectId: mailboxId, data: { provider, address } }),
  ]);
}

/** @returns false if that changes nothing, or the mailbox is not connected */
async function request(
  tx: Tx,
  { workspaceId, userId }: Actor,
  mailboxId: string,
  kind: MailboxRequest,
): Promise<boolean> {
  if ((await changeState(tx, { workspaceId, mailboxId }, { kind }, { userId })) === undefined) return false;
  // Ends the lease, so that a running sync saves nothing from now on.
  await tx.run(sql`
    update mailbox_syncs set ${leaseEnded('sync')}, refused_since = null
    where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
  return true;
}
