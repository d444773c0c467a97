import { navigate } from 'wouter/use-browser-location';
import { queryClient } from '../api/cache.ts';
import { inWorkspace, type Message, type Ticket } from '../api/client.ts';
import { runCommand } from '../commands.ts';
import { preferences } from '../lib/preferences.ts';
import { randomId } from '../lib/random-id.ts';
import { paths } from '../paths.ts';
import { ticketQuery } from '../tickets/queries.ts';
import { hasSameWords, refreshTicket } from '../tickets/sending/sending.ts';
import { tellWhenSent } from '../tickets/sending/tell-sent.ts';
import { forgetDone, remember, undo } from '../tickets/undo.ts';
import { faultWords } from '../ui/fault-words.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { type DraftContent, joined, nothingWritten, withFiles } from './draft/draft-content.ts';
import { keeperOf } from './draft/draft-keepers.ts';
import { ticketHome } from './draft/draft-store.ts';
import { copyFiles } from './files/upload.ts';
import { untilAnswered } from './until-answered.ts';

type Writer = { workspaceId: string; userId: string };

/** A sent answer that can still be undone. */
type Answered = Writer & {
  ticket: Pick<Ticket, 'id' | 'ticketNumber'>;
  content: DraftContent;
};

/** The undo key of each message. */
const undoKeys = new Map<string, string>();

/** The answers that the service has not confirmed yet, by their undo keys. */
const unconfirmed = new Map<string, Answered>();

/** The ids and undo keys of messages whose text is on its way back to the composer. */
const takingBack = new Set<string>();

export function isTakingBack(messageId: string): boolean {
  return takingBack.has(messageId);
}

/**
 * Lets the writer undo an answer as soon as it is sent, on any page.
 * @param shownId the id of the message that is shown until the service has answered
 */
export function rememberAnswer(sent: Promise<Message>, shownId: string, answered: Answered): void {
  const { undoSendSeconds } = preferences();
  const { workspaceId, ticket } = answered;
  tellWhenSent(sent, { workspaceId, ticketNumber: ticket.ticketNumber });
  if (undoSendSeconds === 0) return;
  const key = randomId();
  undoKeys.set(shownId, key);
  unconfirmed.set(key, answered);
  const takeBackSent = async () => {
    const message = await sent.catch(() => undefined);
    // A text that could not be sent returns to the composer by itself.
    if (message !== undefined) await takeBack(answered, message.id);
  };
  const number = ticket.ticketNumber;
  const text = words('undo.sending', { number, seconds: undoSendSeconds });
  const showTicket = () => {
    navigate(paths.ticket(number, window.location.search.slice(1)));
    // The text returns to the composer, so the focus goes there, and no other row keeps it.
    requestAnimationFrame(() => runCommand('answer'));
  };
  remember({
    key,
    text,
    takeBack: () => {
      // Shows the ticket at once: after the service's answer, the person may be writing somewhere else.
      showTicket();
      takingBack.add(key);
      void takeBackSent().finally(() => takingBack.delete(key));
    },
  });
  sent.then(
    ({ id }) => {
      unconfirmed.delete(key);
      // The screen may still show the message under its first id.
      undoKeys.set(id, key);
      setTimeout(() => {
        undoKeys.delete(shownId);
        undoKeys.delete(id);
        forgetDone(key);
      }, undoSendSeconds * 1_000);
    },
    () => {
      unconfirmed.delete(key);
      undoKeys.delete(shownId);
      forgetDone(key);
    },
  );
}

/** Undoes a message. The exact text returns if this page sent it; otherwise the text of the message. */
export function takeBackMessage(message: Message, { workspaceId, userId, ticket }: Omit<Answered, 'content'>): void {
  const key = undoKeys.get(message.id) ?? keyOfUnconfirmed(message, ticket.id);
  if (key !== undefined && (takingBack.has(key) || undo(key))) return;
  void takeBack({ workspaceId, userId, ticket, content: writtenIn(message) }, message.id);
}

/** The live stream may bring a message before the service has answered its request. */
function keyOfUnconfirmed(message: Message, ticketId: string): string | undefined {
  const isSame = ({ ticket, content }: Answered) => ticket.id === ticketId && hasSameWords(message, content);
  return [...unconfirmed].find(([, answered]) => isSame(answered))?.[0];
}

/**
 * Cancels an answer before it is mailed, and puts its text back into the composer. The service brings the ticket back
 * to its status.
 */
async function takeBack({ workspaceId, userId, ticket, content }: Answered, messageId: string) {
  if (takingBack.has(messageId)) return;
  takingBack.add(messageId);
  const path = { ticketId: ticket.id, messageId };
  try {
    // Repeated, because after a lost answer the text would be cancelled and in no composer.
    await untilAnswered(() =>
      inWorkspace(workspaceId).POST('/tickets/{ticketId}/messages/{messageId}/cancel', { path }),
    );
    showToast(words('undo.notSent', { number: ticket.ticketNumber }));
    await putBack({ workspaceId, userId }, ticket.id, content);
  } catch (error) {
    showToast(faultWords(error), { isBad: true });
  }
  takingBack.delete(messageId);
  refreshTicket(workspaceId, ticket.id);
}

/** Puts a text before the text in the composer of the ticket. */
async function putBack({ workspaceId, userId }: Writer, ticketId: string, content: DraftContent): Promise<void> {
  const keeper = keeperOf(ticketHome(userId, { workspaceId, ticketId, kind: 'answer' }));
  // The files themselves stay with the message.
  const files = await untilAnswered(() => copyFiles(workspaceId, content.files));
  keeper.replace(joined(withFiles(content, files), keeper.read().content));
}

/** Puts the text and the recipients of a message into the composer of its ticket, to be corrected and sent again. */
export async function writeAgain(
  writer: Writer,
  { id, ticketNumber }: { id: string; ticketNumber: number },
): Promise<void> {
  const ticket = await queryClient.fetchQuery(ticketQuery(writer.workspaceId, ticketNumber));
  const message = ticket.messages.find((one) => one.id === id);
  if (message !== undefined) await putBack(writer, ticket.id, writtenIn(message));
}

/** The service puts an empty line between a text and its quote. */
const lineAboveQuote = /<br \/>$/;

/** The text of a message without its quote. */
function writtenIn(message: Message): DraftContent {
  const { body, replyText, bodyHtml, newHtml, to, cc, bcc, fromAddress, attachments } = message;
  const text = { body: replyText ?? body, bodyHtml: newHtml?.replace(lineAboveQuote, '') ?? bodyHtml };
  return { ...nothingWritten, ...text, to, cc, bcc, fromAddress, areRecipientsChosen: true, files: attachments };
}
