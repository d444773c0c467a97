import { audit } from '../audit/audit.ts';
import type { Actor } from '../catalog/actor.ts';
import { findContactIds, getContact } from '../contacts/queries.ts';
import { awaitContactsTurn } from '../contacts/rename.ts';
import type { Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import type { ContactId, WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import { keepPerson, makeStubs } from './erase-person.ts';
import { hashOfAddress } from './person.ts';
import { getErasure } from './queries.ts';
import type { Erasure } from './schema.ts';

type Request = { contactId: ContactId; email: string; authSecret: Uint8Array; mailFrom: string };

/**
 * Begins to erase a person: the contact is a stub at once, and the rest is work that no crash can stop.
 * Throws 404, 400 when the typed address is not one of the contact's, and 409 for an own address or a stub.
 */
export async function requestErasure(
  tx: Tx,
  actor: Actor,
  { contactId, email, authSecret, mailFrom }: Request,
): Promise<Erasure> {
  const { workspaceId, userId } = actor;
  await awaitContactsTurn(tx, workspaceId);
  const contact = await getContact(tx, workspaceId, contactId);
  if (contact.erasedAt !== null) throw new AppError('contact.erased');
  const keys = contact.emails.map(caseKey);
  if (!keys.includes(caseKey(email)))
    throw invalidRequest({ path: 'body.email', message: 'is not an address of this contact' });
  await refuseOwn(tx, workspaceId, { keys, mailFrom });
  const id = tx.newId();
  const hashes = contact.emails.map((address) => hashOfAddress(authSecret, workspaceId, address));
  await tx.run(sql`
    insert into erasures (workspace_id, id, contact_id, address_hashes, requested_by, requested_at)
    values (${workspaceId}, ${id}, ${contact.id}, ${hashes}::text[], ${userId}, ${tx.now})`);
  const person = await makeStubs(tx, workspaceId, await findContactIds(tx, workspaceId, contact.id));
  await keepPerson(tx, { workspaceId, id }, person);
  await audit(tx, actor, { type: 'contact.erased', subjectId: contact.id, data: { erasureId: id } });
  tx.touch(workspaceId);
  return getErasure(tx, workspaceId, contact.id);
}

/** Own addresses stand in every ticket. */
async function refuseOwn(
  tx: Tx,
  workspaceId: WorkspaceId,
  { keys, mailFrom }: { keys: readonly string[]; mailFrom: string },
): Promise<void> {
  const own = await tx.maybe(sql`
    select 1 from mailboxes b
    where b.workspace_id = ${workspaceId}
      and (b.address_key = any(${keys}::text[]) or exists (
        select from unnest(b.aliases) a where lower(a) = any(${keys}::text[])
      ))
    union all
    select 1
    from members m
    join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.removed_at is null and u.email_key = any(${keys}::text[])
    limit 1`);
  if (own !== undefined || keys.includes(caseKey(mailFrom))) throw new AppError('contact.own_address');
}
