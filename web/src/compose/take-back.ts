import { navigate } from 'wouter/use-browser-location';
import { ApiError, api, dataOf, inWorkspace, type Message, type Ticket } from '../api/client.ts';
import { preferences } from '../lib/preferences.ts';
import { randomId } from '../lib/random-id.ts';
import { paths } from '../paths.ts';
import { refreshTicket } from '../tickets/sending.ts';
import { forgetDone, remember, undo } from '../tickets/undo.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { type DraftContent, joined, nothingWritten, withFiles } from './draft-content.ts';
import { keeperOf } from './draft-keepers.ts';
import { ticketDraftStore } from './draft-store.ts';
import { untilAnswered } from './until-answered.ts';
import { copyFiles } from './upload.ts';

/** An answer that was given, until its undo time is over. */
type Answered = {
  workspaceId: string;
  userId: string;
  ticket: Pick<Ticket, 'id' | 'ticketNumber'>;
  content: DraftContent;
  /** The status to return to, where the answer changed it. */
  statusBefore?: Ticket['status'] | undefined;
};

/** Which undo takes back which message. */
const undoKeys = new Map<string, string>();

/** Messages whose text is on its way back to the composer. */
const takingBack = new Set<string>();

export function isTakingBack(messageId: string): boolean {
  return takingBack.has(messageId);
}

/**
 * Lets an answer be taken back from the moment of the key, wherever its writer is by then.
 * @param shownId of the message that is shown until the service has answered
 */
export function rememberAnswer(sent: Promise<Message>, shownId: string, answered: Answered): void {
  const { undoSendSeconds } = preferences();
  if (undoSendSeconds === 0) {
    // What could not be sent is said beside the composer.
    sent.catch(() => undefined);
    return;
  }
  const key = randomId();
  undoKeys.set(shownId, key);
  const takeBackSent = async () => {
    const message = await sent.catch(() => undefined);
    // What could not be sent is in the composer again by itself.
    if (message !== undefined) await takeBack(answered, message.id);
  };
  const text = words('undo.answered', { number: answered.ticket.ticketNumber });
  const showTicket = () => navigate(paths.ticket(answered.ticket.ticketNumber, window.location.search.slice(1)));
  remember({
    key,
    text,
    takeBack: () => {
      // At once: an answer of the service would lead its writer away from what is written by then.
      showTicket();
      void takeBackSent();
    },
  });
  sent.then(
    ({ id }) => {
      undoKeys.delete(shownId);
      undoKeys.set(id, key);
      setTimeout(() => {
        undoKeys.delete(id);
        forgetDone(key);
      }, undoSendSeconds * 1_000);
    },
    () => {
      undoKeys.delete(shownId);
      forgetDone(key);
    },
  );
}

/** Takes back a message that waits: as the writer had it where this page sent it, else as it can be read. */
export function takeBackMessage(message: Message, { workspaceId, userId, ticket }: Omit<Answered, 'content'>): void {
  const key = undoKeys.get(message.id);
  if (key !== undefined && undo(key)) return;
  void takeBack({ workspaceId, userId, ticket, content: writtenIn(message) }, message.id);
}

/** Stops an answer before it leaves; its text is in the composer again as it was. */
async function takeBack({ workspaceId, userId, ticket, content, statusBefore }: Answered, messageId: string) {
  if (takingBack.has(messageId)) return;
  takingBack.add(messageId);
  const path = { workspaceId, ticketId: ticket.id, messageId };
  try {
    // Repeated, because a text that is stopped without its writer hearing of it would be in no composer.
    await untilAnswered(() =>
      dataOf(
        api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/messages/{messageId}/cancel', {
          params: { path, header: inWorkspace(workspaceId).header },
        }),
      ),
    );
    const place = { workspaceId, ticketId: ticket.id, kind: 'answer' as const };
    const keeper = keeperOf(`${userId} ${ticket.id} answer`, () => ticketDraftStore(place));
    // Its files stay with the message that was stopped.
    const files = await untilAnswered(() => copyFiles(workspaceId, content.files));
    keeper.replace(joined(withFiles(content, files), keeper.read().content));
    if (statusBefore !== undefined) await setStatus(workspaceId, ticket.id, statusBefore);
  } catch (error) {
    showToast(error instanceof ApiError ? error.message : words('error.network'), { isBad: true });
  }
  takingBack.delete(messageId);
  refreshTicket(workspaceId, ticket.id);
}

async function setStatus(workspaceId: string, ticketId: string, toStatus: Ticket['status']): Promise<void> {
  const header = { ...inWorkspace(workspaceId).header, 'idempotency-key': randomId() };
  const params = { path: { workspaceId, ticketId }, header };
  await untilAnswered(() =>
    dataOf(api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/status', { params, body: { toStatus } })),
  );
}

/** What was written of a message, without what it quotes. */
function writtenIn(message: Message): DraftContent {
  const { body, replyText, bodyHtml, newHtml, to, cc, attachments } = message;
  const text = { body: replyText ?? body, bodyHtml: newHtml ?? bodyHtml };
  return { ...nothingWritten, ...text, to, cc, areRecipientsChosen: true, files: attachments };
}
