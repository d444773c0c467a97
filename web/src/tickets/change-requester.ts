import { inWorkspace, type Ticket } from '../api/client.ts';
import { randomId } from '../lib/random-id.ts';
import { faultWords } from '../ui/fault-words.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { undoneWords } from './change-words.ts';
import { ownId } from './list-places.ts';
import { nameOfContact } from './persons.ts';
import { findRow, receiveAnswer } from './rows.ts';
import { refreshTicket } from './sending/sending.ts';
import { remember } from './undo.ts';

/**
 * Makes another person the requester of a ticket. Waits for the service, as only its answer tells the contact of an
 * address that is new.
 */
export async function changeRequester(workspaceId: string, ticket: Ticket, email: string): Promise<void> {
  const { requester: before, ticketNumber: number } = ticket;
  const userId = ownId();
  const changed = await save(workspaceId, ticket.id, email);
  const now = changed?.requester;
  // The person may have signed out meanwhile, or chosen another address of the same contact.
  if (now == null || now.contactId === before?.contactId || ownId() !== userId) return;
  remember({
    key: randomId(),
    text: words('change.requester', { person: nameOfContact(now), number }),
    takeBack: () => void takeBack(workspaceId, ticket, now.contactId),
  });
}

/** Leaves the ticket to a colleague who has chosen somebody else since. */
async function takeBack(workspaceId: string, { id, requester, ticketNumber: number }: Ticket, chosenId: string) {
  const present = findRow(workspaceId, id);
  if (present !== undefined && present.requester?.contactId !== chosenId) {
    showToast(words('change.meanwhile', { person: words('change.somebody'), number }), { isBad: true });
    return;
  }
  const restored = await save(workspaceId, id, requester?.email ?? null);
  if (restored !== undefined) showToast(undoneWords([restored]));
}

async function save(workspaceId: string, ticketId: string, email: string | null): Promise<Ticket | undefined> {
  try {
    const ticket = await inWorkspace(workspaceId).PATCH('/tickets/{ticketId}', {
      path: { ticketId },
      body: { requester: email === null ? null : { email } },
    });
    receiveAnswer(workspaceId, [ticket]);
    // A reply goes to the new requester.
    refreshTicket(workspaceId, ticketId);
    return ticket;
  } catch (error) {
    showToast(faultWords(error), { isBad: true });
    return undefined;
  }
}
