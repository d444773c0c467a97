import { inWorkspace, type Ticket } from '../api/client.ts';
import { randomId } from '../lib/random-id.ts';
import { faultWords } from '../ui/fault-words.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { nameOfContact } from './persons.ts';
import { receiveAnswer } from './rows.ts';
import { refreshTicket } from './sending/sending.ts';
import { remember } from './undo.ts';

/**
 * Makes another person the requester of a ticket. Waits for the service, as only its answer tells the contact of an
 * address that is new.
 */
export async function changeRequester(workspaceId: string, ticket: Ticket, email: string): Promise<void> {
  const before = ticket.requester;
  const changed = await set(workspaceId, ticket.id, email);
  if (changed?.requester == null) return;
  remember({
    key: randomId(),
    text: words('change.requester', { person: nameOfContact(changed.requester), number: ticket.ticketNumber }),
    takeBack: () => void set(workspaceId, ticket.id, before?.email ?? null),
  });
}

async function set(workspaceId: string, ticketId: string, email: string | null): Promise<Ticket | undefined> {
  try {
    const ticket = await inWorkspace(workspaceId).PATCH('/tickets/{ticketId}', {
      path: { ticketId },
      body: { requester: email === null ? null : { email } },
    });
    receiveAnswer(workspaceId, [ticket]);
    // Where no customer has written, a reply goes to the requester.
    refreshTicket(workspaceId, ticketId);
    return ticket;
  } catch (error) {
    showToast(faultWords(error), { isBad: true });
    return undefined;
  }
}
