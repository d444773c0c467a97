import { audit } from '../../access/audit/audit.ts';
import { getInboundAddress } from '../../access/workspaces/inbound-address.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import { isOwnAddress, type OwnAddress } from '../../access/workspaces/own-address.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { domainOf } from '../../ground/lib/plus-address.ts';
import { isEnding, isSharedDomain } from '../../ground/lib/shared-domains.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { readNamedAddresses } from '../../mail/mailboxes/queries.ts';
import type { Target } from '../tickets/change.ts';
import { changeTicket } from '../tickets/change-ticket.ts';
import type { Ticket } from '../tickets/schema.ts';
import { blockedColumns } from './queries.ts';
import type { BlockedSender } from './schema.ts';
import { keysOf, readSender, type SenderKey } from './sender.ts';

const entriesMax = 10_000;

export type BlockSender = { sender: string; evenShared?: boolean };

/** Blocks an address or a domain. A sender that is on the list already stays as it is. */
export async function blockSender(
  tx: Tx,
  actor: Actor,
  { sender: written, evenShared = false }: BlockSender,
): Promise<{ entry: BlockedSender; isNew: boolean }> {
  const { workspaceId, userId } = actor;
  const sender = readSender(written);
  if (sender === undefined) throw invalidRequest({ path: 'body.sender', key: 'not_a_sender' });
  if (sender.kind === 'domain' && isEnding(sender.key))
    throw invalidRequest({ path: 'body.sender', key: 'ending_of_domains' });
  // Two that add at once take turns, so that they do not exceed the limit.
  await lockWorkspace(tx, workspaceId);
  const known = await findEntry(tx, workspaceId, sender);
  if (known !== undefined) return { entry: known, isNew: false };
  const isShared = sender.kind === 'domain' && isSharedDomain(sender.key);
  if (isShared && !evenShared) throw new AppError('blocked_sender.shared_domain', { domain: sender.key });
  // Own addresses at a shared domain stay unblocked when mail comes in.
  if (!isShared) await refuseOwn(tx, workspaceId, sender);
  await refuseTooManySenders(tx, workspaceId);
  const id = tx.newId();
  const shown = written.trim().replace(/^@/, '');
  const [entry] = await together([
    tx.one<BlockedSender>(sql`
      insert into blocked_senders (workspace_id, id, sender, sender_key, created_by, created_at)
      values (${workspaceId}, ${id}, ${shown}, ${sender.key}, ${userId}, ${tx.now})
      returning ${blockedColumns}`),
    audit(tx, actor, { type: 'blocked_sender.added', subjectId: id, data: { address: shown } }),
  ]);
  return { entry, isNew: true };
}

/** Throws 404. */
export async function unblockSender(tx: Tx, actor: Actor, blockedSenderId: string): Promise<void> {
  const removed = await tx.maybe<{ sender: string }>(sql`
    delete from blocked_senders where workspace_id = ${actor.workspaceId} and id = ${blockedSenderId}
    returning sender`);
  if (removed === undefined) throw new AppError('blocked_sender.not_found');
  await audit(tx, actor, {
    type: 'blocked_sender.removed',
    subjectId: blockedSenderId,
    data: { address: removed.sender },
  });
}

/** Marks a ticket as spam, and blocks the address of its requester or the domain of that. */
export async function markSpamAndBlock(
  tx: Tx,
  actor: Actor,
  {
    blockSender: kind,
    evenShared = false,
    ...target
  }: Target & { blockSender?: SenderKey['kind']; evenShared?: boolean },
): Promise<Ticket> {
  const { workspaceId } = actor;
  // Everyone who adds to the list locks the workspace first, so nobody waits for a ticket in between.
  if (kind !== undefined) await lockWorkspace(tx, workspaceId);
  const ticket = await changeTicket(tx, actor, target, { spam: true });
  if (kind === undefined) return ticket;
  const requester = await findRequester(tx, actor, ticket.id);
  if (requester === undefined) throw new AppError('blocked_sender.unknown');
  if (requester.isForged) throw new AppError('blocked_sender.forged');
  for (const email of requester.emails) {
    const sender = kind === 'address' ? email : email.slice(email.lastIndexOf('@') + 1);
    await blockSender(tx, actor, { sender, evenShared });
  }
  return ticket;
}

/** Takes every entry off the list that blocks the requester of a ticket. */
export async function unblockRequester(tx: Tx, actor: Actor, { id }: Ticket): Promise<void> {
  const requester = await findRequester(tx, actor, id);
  if (requester === undefined) return;
  const removed = await tx.rows<{ id: string; sender: string }>(sql`
    delete from blocked_senders
    where workspace_id = ${actor.workspaceId} and sender_key = any(${requester.emails.flatMap(keysOf)}::text[])
    returning id, sender`);
  await together(
    removed.map((entry) =>
      audit(tx, actor, { type: 'blocked_sender.removed', subjectId: entry.id, data: { address: entry.sender } }),
    ),
  );
}

/**
 * The address of a ticket's requester, and the address from which they last wrote there if it is another, as after a
 * merge of contacts. Also finds whether that last mail is forged.
 */
async function findRequester(
  tx: Tx,
  scope: Scope,
  ticketId: TicketId,
): Promise<{ emails: string[]; isForged: boolean } | undefined> {
  const { workspaceId } = scope;
  const found = await tx.maybe<{ emails: string[]; isForged: boolean }>(sql`
    select array_remove(array[c.email, last.email], null) as emails,
      coalesce(last.verdict = 'fail', false) as "isForged"
    from tickets t
    join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id and c.erased_at is null
    left join lateral (
      select m.author_email as email, m.authentication->>'verdict' as verdict
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.direction = 'inbound'
        and m.author_contact_id = t.requester_id and m.author_email is not null
      order by m.created_at desc, m.id desc
      limit 1
    ) last on true
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible(scope, 't')}`);
  return found && { ...found, emails: [...new Map(found.emails.map((email) => [caseKey(email), email])).values()] };
}

function findEntry(db: Queryable, workspaceId: WorkspaceId, { key }: SenderKey): Promise<BlockedSender | undefined> {
  return db.maybe<BlockedSender>(sql`
    select ${blockedColumns} from blocked_senders where workspace_id = ${workspaceId} and sender_key = ${key}`);
}

/** Throws 409 for an entry that would block the workspace's own addresses, or the address of a member. */
async function refuseOwn(tx: Tx, workspaceId: WorkspaceId, { key, kind }: SenderKey): Promise<void> {
  const [{ localPart }, namedAddresses, members] = await together([
    getInboundAddress(tx, workspaceId),
    readNamedAddresses(tx, workspaceId),
    tx.rows<{ email: string }>(sql`
      select u.email
      from members m
      join users u on u.id = m.user_id
      where m.workspace_id = ${workspaceId} and m.removed_at is null`),
  ]);
  const { email: mailFrom } = tx.settings.mailFrom;
  const own: OwnAddress = { localPart, mailFrom, namedAddresses };
  const addresses = [mailFrom, `${localPart}@${domainOf(mailFrom)}`, ...namedAddresses];
  const safe = kind === 'address' ? [...addresses, ...members.map(({ email }) => email)] : addresses;
  const isOwn = safe.some((email) => keysOf(email).includes(key)) || (kind === 'address' && isOwnAddress(own, key));
  if (isOwn) throw new AppError('blocked_sender.own');
}

async function refuseTooManySenders(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) from blocked_senders where workspace_id = ${workspaceId}`);
  if (count >= entriesMax) throw new AppError('blocked_sender.too_many', { max: entriesMax });
}
