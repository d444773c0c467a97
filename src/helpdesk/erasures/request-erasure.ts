import { audit } from '../../access/audit/audit.ts';
import { getInboundAddress } from '../../access/workspaces/inbound-address.ts';
import { isOwnAddress } from '../../access/workspaces/own-address.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { ContactId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { findContactIds, getContact } from '../contacts/queries.ts';
import { awaitContactsTurn, refuseErased } from '../contacts/rename.ts';
import { awaitIngestTurn } from '../messages/ingest-turn.ts';
import { keepPerson, makeStubs } from './erase-person.ts';
import { hashOfAddress } from './person.ts';
import { getErasure } from './queries.ts';
import type { Erasure } from './schema.ts';
import { takeOffWaiting } from './scrub-messages.ts';

type Request = { contactId: ContactId; email: string; authSecret: Uint8Array };

/**
 * Begins to erase a person: the contact is a stub, and gets no answer that waits, at once. The rest is work that no
 * crash can stop.
 * Throws 404, 400 when the typed address is not one of the contact's, and 409 for an own address or a stub.
 */
export async function requestErasure(
  tx: Tx,
  actor: Actor,
  { contactId, email, authSecret }: Request,
): Promise<Erasure> {
  const { workspaceId, userId } = actor;
  // A mail that waits is either ingested before and erased with all else, or finds this erasure.
  await awaitIngestTurn(tx, workspaceId);
  await awaitContactsTurn(tx, workspaceId);
  const contact = await getContact(tx, actor, contactId);
  refuseErased(contact);
  if (!contact.emails.some((address) => caseKey(address) === caseKey(email)))
    throw invalidRequest({ path: 'body.email', key: 'not_of_contact' });
  await refuseOwn(tx, workspaceId, contact.emails);
  const id = tx.newId();
  const hashes = contact.emails.map((address) => hashOfAddress(authSecret, workspaceId, address));
  await tx.run(sql`
    insert into erasures (workspace_id, id, contact_id, address_hashes, requested_by, requested_at)
    values (${workspaceId}, ${id}, ${contact.id}, ${hashes}::text[], ${userId}, ${tx.now})`);
  const person = await makeStubs(tx, workspaceId, await findContactIds(tx, workspaceId, contact.id));
  await keepPerson(tx, { workspaceId, id }, person);
  await takeOffWaiting(tx, workspaceId, person);
  await audit(tx, actor, { type: 'contact.erased', subjectId: contact.id, data: { erasureId: id } });
  tx.touch(workspaceId);
  return getErasure(tx, workspaceId, contact.id);
}

/** Own addresses stand in every ticket, also those of mailboxes that were disconnected. */
async function refuseOwn(tx: Tx, workspaceId: WorkspaceId, emails: readonly string[]): Promise<void> {
  const [{ localPart }, named, member] = await together([
    getInboundAddress(tx, workspaceId),
    tx.rows<{ addresses: string[] }>(sql`
      select array_prepend(address, aliases || send_as) as addresses from mailboxes where workspace_id = ${workspaceId}
      union all
      select own_addresses as addresses from workspaces where id = ${workspaceId}`),
    tx.maybe(sql`
      select 1
      from members m
      join users u on u.id = m.user_id
      where m.workspace_id = ${workspaceId} and m.removed_at is null
        and u.email_key = any(${emails.map(caseKey)}::text[])
      limit 1`),
  ]);
  const mailFrom = tx.settings.mailFrom.email;
  const own = { localPart, mailFrom, namedAddresses: named.flatMap(({ addresses }) => addresses) };
  if (member !== undefined || emails.some((email) => isOwnAddress(own, email)))
    throw new AppError('contact.own_address');
}
