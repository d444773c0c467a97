import type { Actor } from '../../ground/catalog/actor.ts';
import { type Db, type Tx, together } from '../../ground/database/db.ts';
import type { ContactId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { findContactIds, getContact } from '../contacts/queries.ts';
import { askForRefresh, awaitContactsTurn, refuseErased, renameContact } from '../contacts/rename.ts';
import type { ListedContact } from '../contacts/schema.ts';
import { refreshTicketSearch } from '../tickets/rows.ts';
import { lockedAtOnceMax, lockTicketsOf } from './contact-tickets.ts';

type OfContact = { workspaceId: WorkspaceId; contactId: ContactId };

/** Renames a contact. Refreshes the search vectors of a first batch of tickets at once, and of the rest by a job. */
export async function nameContact(
  tx: Tx,
  actor: Actor,
  { contactId, name }: { contactId: ContactId; name?: string | null },
): Promise<ListedContact> {
  const { workspaceId } = actor;
  await awaitContactsTurn(tx, workspaceId);
  const contact = await getContact(tx, actor, contactId);
  refuseErased(contact);
  if (name === undefined || name === contact.name) return contact;
  await renameContact(tx, workspaceId, { ...contact, name });
  await refreshSearchOfContact(tx, { workspaceId, contactId: contact.id });
  return { ...contact, name };
}

/** Refreshes the search vectors of a contact's tickets after its name has changed. */
export async function refreshSearchOfContact(tx: Tx, ofContact: OfContact): Promise<void> {
  const last = await refreshSome(tx, ofContact, null);
  if (last !== null) await askForRefresh(tx, ofContact.workspaceId, ofContact.contactId);
}

/** Refreshes all tickets of a contact. A killed job starts over. */
export async function refreshAllOfContact(db: Db, ofContact: OfContact): Promise<void> {
  let last: TicketId | null = null;
  do {
    const after: TicketId | null = last;
    last = await db.tx((tx) => refreshSome(tx, ofContact, after));
  } while (last !== null);
}

/** @returns the last refreshed ticket; null when no tickets remain */
async function refreshSome(
  tx: Tx,
  { workspaceId, contactId }: OfContact,
  after: TicketId | null,
): Promise<TicketId | null> {
  const contactIds = await findContactIds(tx, workspaceId, contactId);
  const ticketIds = await lockTicketsOf(tx, workspaceId, { contactIds, after });
  await together(ticketIds.map((id) => refreshTicketSearch(tx, workspaceId, id)));
  return ticketIds.length === lockedAtOnceMax ? (ticketIds.at(-1) ?? null) : null;
}
