import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { ApiError, api, dataOf, inWorkspace, type Message, type TicketWithMessages } from '../api/client.ts';
import type { DraftContent } from './draft-content.ts';
import { withFiles } from './draft-content.ts';
import type { DraftKeeper } from './draft-keeper.ts';
import { keepDraftInCache } from './draft-store.ts';
import type { Recipients } from './recipients-of.ts';
import { copyFiles } from './upload.ts';

export const undoSeconds = 10;

/** An answer that can still be taken back. */
export type Sent = { content: DraftContent; keeper: DraftKeeper; message: Promise<Message> };

export type SendOptions = { isNote: boolean; thenStatus?: 'open' | 'pending' | 'closed' };
type Sending = SendOptions & { content: DraftContent; recipients: Recipients; keeper: DraftKeeper };

/** Sends answers and notes: the composer is empty at once, and what is refused returns to it. */
export function useSend(workspaceId: string, ticket: TicketWithMessages) {
  const [sent, setSent] = useState<Sent>();
  const path = { workspaceId, ticketId: ticket.id };
  const { header } = inWorkspace(workspaceId);
  // A repeat of a request whose answer was lost is answered from memory: nothing is sent twice.
  const attempt = useRef({ body: '', key: '' });
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId] });

  const post = async ({ keeper, content, recipients, isNote, thenStatus }: Sending): Promise<Message> => {
    const body = {
      ...(await keeper.beginSend()),
      body: content.body,
      ...(content.bodyHtml === null ? {} : { bodyHtml: content.bodyHtml }),
      attachmentIds: content.files.map(({ id }) => id),
      ...(thenStatus === undefined ? {} : { thenStatus }),
      ...(isNote ? { isInternal: true } : answerFields(content, recipients, ticket)),
    };
    const written = JSON.stringify([ticket.id, body]);
    if (attempt.current.body !== written) attempt.current = { body: written, key: crypto.randomUUID() };
    const params = { path, header: { ...header, 'idempotency-key': attempt.current.key } };
    return dataOf(api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/messages', { params, body }));
  };

  const send = useMutation({
    mutationFn: (sending: Sending) => {
      const message = post(sending);
      if (!sending.isNote) setSent({ content: sending.content, keeper: sending.keeper, message });
      return message;
    },
    onSuccess: async (_message, { keeper, isNote }) => {
      attempt.current = { body: '', key: '' };
      await keepDraftInCache({ ...path, kind: isNote ? 'note' : 'answer' }, null);
      keeper.endSend();
    },
    onError: (error, { keeper, content }) => {
      setSent(undefined);
      keeper.endSend(isNewer(error) ? { ...content, lastSeenMessageId: String(error.params.messageId) } : content);
      if (error instanceof ApiError && error.key === 'draft.not_found') keeper.meetNothing();
    },
    // The message that the guard tells of is to be seen beside the draft.
    onSettled: refresh,
  });

  const cancel = useMutation({
    mutationFn: async ({ keeper, message, content }: Sent) => {
      const { id } = await message;
      await dataOf(
        api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/messages/{messageId}/cancel', {
          params: { path: { ...path, messageId: id }, header },
        }),
      );
      // Its files stay with the message that was stopped.
      const files = await copyFiles(workspaceId, content.files);
      keeper.replace(withFiles(content, files));
    },
    onSuccess: () => setSent(undefined),
    onSettled: refresh,
  });

  return { send, cancel, sent, forgetSent: () => setSent(undefined) };
}

/** Whom an answer goes to is said each time, so that nobody gets it whom its writer did not see. */
function answerFields(
  { lastSeenMessageId }: DraftContent,
  { to, cc, bcc }: Recipients,
  { messages }: TicketWithMessages,
) {
  const lastSeen = lastSeenMessageId ?? messages.at(-1)?.id;
  return {
    sendEmail: true,
    sendAfterSeconds: undoSeconds,
    toAddresses: to,
    ccAddresses: cc,
    bccAddresses: bcc,
    ...(lastSeen === undefined ? {} : { lastSeenMessageId: lastSeen }),
  };
}

/** Whether an answer was refused because its customer has written meanwhile. */
export function isNewer(error: unknown): error is ApiError {
  return error instanceof ApiError && error.key === 'ticket.newer_message';
}
