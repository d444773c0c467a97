import { navigate } from 'wouter/use-browser-location';
import { queryClient } from '../api/cache.ts';
import { ApiError, api, dataOf, inWorkspace, type Message, type Ticket } from '../api/client.ts';
import { paths } from '../paths.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { type DraftContent, joined, nothingWritten, withFiles } from './draft-content.ts';
import { keeperOf } from './draft-keepers.ts';
import { ticketDraftStore } from './draft-store.ts';
import { copyFiles } from './upload.ts';

/** An answer that waits for its undo time. */
export type Answered = {
  workspaceId: string;
  userId: string;
  ticket: Pick<Ticket, 'id' | 'ticketNumber'>;
  messageId: string;
  content: DraftContent;
};

/** Stops an answer before it leaves; its text is in the composer again as it was. */
export async function takeBack({ workspaceId, userId, ticket, messageId, content }: Answered): Promise<void> {
  const path = { workspaceId, ticketId: ticket.id, messageId };
  try {
    await dataOf(
      api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/messages/{messageId}/cancel', {
        params: { path, header: inWorkspace(workspaceId).header },
      }),
    );
    const place = { workspaceId, ticketId: ticket.id, kind: 'answer' as const };
    const keeper = keeperOf(`${userId} ${ticket.id} answer`, () => ticketDraftStore(place));
    // Its files stay with the message that was stopped.
    const files = await copyFiles(workspaceId, content.files);
    keeper.replace(joined(withFiles(content, files), keeper.read().content));
    navigate(paths.ticket(ticket.ticketNumber, window.location.search.slice(1)));
  } catch (error) {
    showToast(error instanceof ApiError ? error.message : words('error.network'), { isBad: true });
  }
  void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] });
}

/** What was written of a message, without what it quotes. */
export function writtenIn(message: Message): DraftContent {
  const { body, replyText, bodyHtml, newHtml, to, cc, attachments } = message;
  const text = { body: replyText ?? body, bodyHtml: newHtml ?? bodyHtml };
  return { ...nothingWritten, ...text, to, cc, areRecipientsChosen: true, files: attachments };
}
