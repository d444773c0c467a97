import { navigate } from 'wouter/use-browser-location';
import { ApiError, inWorkspace, type Message, type Ticket } from '../../api/client.ts';
import { type LiveEvent, onLive } from '../../api/live.ts';
import { paths } from '../../paths.ts';
import { closeLateToasts, showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';

type Place = { workspaceId: string; ticketNumber: number };
type Created = Pick<Ticket, 'id' | 'ticketNumber' | 'lastMessage'>;

/** The mails of this page that have not left yet, by the ids of their messages. */
const leaving = new Map<string, Place & Pick<Message, 'ticketId'>>();
/** Rises with each sign-out, as the service may answer a request of the former person afterwards. */
let person = 0;
let enteredId: string | undefined;
/** Pages of one workspace leave it and enter it again. */
let lastEnteredId: string | undefined;

/**
 * Tells how the mails of a workspace went, as long as it is entered: their toasts lead to its tickets.
 * @returns a function that ends this
 */
export function tellSentIn(workspaceId: string): () => void {
  if (lastEnteredId !== workspaceId) closeLateToasts();
  enteredId = workspaceId;
  lastEnteredId = workspaceId;
  const stopHearing = onLive(hear);
  lookThrough();
  return () => {
    enteredId = undefined;
    stopHearing();
  };
}

/** Tells the writer of a mail, on whatever page they are by then, that it was sent or could not be. */
export function tellWhenSent(sent: Promise<Message>, place: Place): void {
  forWriter(sent, ({ id, ticketId, delivery }) => {
    if (delivery === null) return;
    leaving.set(id, { ...place, ticketId });
    // Without time to undo, it may have left before it was listed here.
    if (delivery.nextAttemptAt === null || Date.parse(delivery.nextAttemptAt) <= Date.now()) void look(id);
  });
}

/** Likewise of the mail with which a ticket begins. */
export function tellWhenCreated(created: Promise<Created>, workspaceId: string): void {
  forWriter(created, ({ id, ticketNumber, lastMessage }) => {
    if (lastMessage === null) return;
    leaving.set(lastMessage.id, { workspaceId, ticketNumber, ticketId: id });
    void look(lastMessage.id);
  });
}

/** Runs with the service's answer, unless another person has signed in since. */
export function forWriter<Answer>(asked: Promise<Answer>, run: (answer: Answer) => void): void {
  const writer = person;
  asked.then(
    (answer) => writer === person && run(answer),
    // The page where it was written shows the error.
    () => undefined,
  );
}

/** Runs at a sign-out, so that the next person does not hear of them. */
export function forgetLeaving(): void {
  leaving.clear();
  person += 1;
}

/** Whether the person has not left the workspace. */
export function isEntered(workspaceId: string): boolean {
  return workspaceId === enteredId;
}

type MessageTold = { type: string; messageId: string; ticketId: string; ticket: Pick<Ticket, 'ticketNumber'> };

function hear(events: readonly LiveEvent[]): void {
  for (const { name, data } of events) {
    // After a `reset`, nobody knows what the stream has left out; before `resumed`, a look may have failed.
    if (name === 'reset' || name === 'resumed') lookThrough();
    if (name === 'message') hearOf(data as MessageTold);
  }
}

/** By then, a merge or a split may have moved the message to the ticket of the event. */
function hearOf({ type, messageId, ticketId, ticket }: MessageTold): void {
  const known = leaving.get(messageId);
  if (type !== 'message.delivery_changed' || known === undefined) return;
  leaving.set(messageId, { ...known, ticketId, ticketNumber: ticket.ticketNumber });
  void look(messageId);
}

function lookThrough(): void {
  for (const id of leaving.keys()) void look(id);
}

/** A mail that leaves late may have this many newer messages below it. */
const newestMax = 200;
const lookAgainMs = 5_000;
const lookingAgain = new Set<string>();

function lookAgain(id: string): void {
  if (lookingAgain.has(id)) return;
  lookingAgain.add(id);
  setTimeout(() => {
    lookingAgain.delete(id);
    void look(id);
  }, lookAgainMs);
}

/** Reads how the delivery stands, which events do not say. A mail that no look has found stays listed. */
async function look(id: string): Promise<void> {
  const place = leaving.get(id);
  if (place === undefined || place.workspaceId !== enteredId) return;
  const { workspaceId, ticketId } = place;
  const newest = await inWorkspace(workspaceId)
    .GET('/tickets/{ticketId}/messages', {
      path: { ticketId },
      query: { limit: newestMax, bodies: 'none', trash: true },
    })
    .catch((error: unknown) => {
      // The ticket is deleted for good, or hidden from the writer.
      if (error instanceof ApiError && [403, 404].includes(error.status)) leaving.delete(id);
      else lookAgain(id);
      return undefined;
    });
  const delivery = newest?.messages.find((message) => message.id === id)?.delivery;
  if (delivery === undefined || delivery === null || ['queued', 'sending'].includes(delivery.status)) return;
  const number = leaving.get(id)?.ticketNumber;
  // Meanwhile the person may have left the workspace, or another look may have told it.
  if (number === undefined || workspaceId !== enteredId) return;
  leaving.delete(id);
  tellOutcome(number, delivery);
}

function tellOutcome(number: number, { status, isFile }: NonNullable<Message['delivery']>): void {
  if (status === 'sent' && !isFile) showToast(words('sent.done', { number }), { isLate: true });
  if (status === 'failed' || status === 'bounced' || status === 'uncertain')
    showToast(words(`sent.${status}`, { number }), {
      ...{ isBad: true, stays: true, isLate: true },
      action: { text: words('sent.show'), run: () => navigate(paths.ticket(number)) },
    });
}
