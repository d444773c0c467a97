import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, inWorkspace, type Message, type TicketWithMessages } from '../api/client.ts';
import { preferences } from '../lib/preferences.ts';
import { randomId } from '../lib/random-id.ts';
import { refreshTicket, showWhileSent } from '../tickets/sending/sending.ts';
import { type DraftContent, replyOf } from './draft/draft-content.ts';
import type { DraftKeeper } from './draft/draft-keeper.ts';
import { keepDraftInCache } from './draft/draft-store.ts';
import { useUnsent, warnBeforeLeaving } from './leaving.ts';
import { withoutLostReply } from './lost-reply.ts';
import type { Recipients } from './recipients/recipients-of.ts';
import { tellWhenScheduled } from './scheduled/steer.ts';
import { messageOf } from './shown-message.ts';
import { rememberAnswer } from './take-back.ts';
import { untilAnswered } from './until-answered.ts';

export type SendOptions = { isNote: boolean; thenStatus?: 'closed'; sendAt?: string; unlessReplied?: boolean };
export type Sending = SendOptions & { content: DraftContent; recipients: Recipients; keeper: DraftKeeper };

/** Errors that the composer shows beside the text with a way to solve them, and so not as plain errors. */
const toldBeside = ['ticket.newer_message', 'draft.not_found'];

type Place = { workspaceId: string; userId: string };

/** Sends answers and notes. The composer is empty at once, and a refused text returns to it. */
export function useSend({ workspaceId, userId }: Place, ticket: TicketWithMessages) {
  /** A newer message, because of which the service has refused the text. */
  const [newerId, setNewerId] = useState<string>();
  const { setUnsent } = useUnsent(ticket.ticketNumber);
  const path = { ticketId: ticket.id };

  const post = async (sending: Sending): Promise<Message> => {
    const { keeper, ...written } = sending;
    setUnsent(undefined);
    keeper.beginSend();
    const send = withoutLostReply((content) => {
      const fields = fieldsOf({ ...written, content }, ticket);
      const header = { 'idempotency-key': randomId() };
      return untilAnswered(async () => {
        const body = { ...(await keeper.draftOfSent()), ...fields };
        return inWorkspace(workspaceId).POST('/tickets/{ticketId}/messages', { path, header, body });
      });
    });
    return send(written.content);
  };

  const postAndShow = (sending: Sending): Promise<Message> => {
    const sent = warnBeforeLeaving(post(sending));
    const shown = messageOf(sending, ticket.id, userId);
    showWhileSent(workspaceId, ticket, shown, sent);
    const { isNote, content, recipients } = sending;
    if (isNote) return sent;
    const { id, ticketNumber } = ticket;
    if (sending.sendAt !== undefined) {
      const scheduled = sent.then((message) => ({ id: message.id, ticketId: id, ticketNumber }));
      tellWhenScheduled(scheduled, { workspaceId, userId }, sending.sendAt);
      return sent;
    }
    rememberAnswer(sent, shown.id, {
      ...{ workspaceId, userId, ticket: { id, ticketNumber } },
      content: { ...content, ...recipients, areRecipientsChosen: true },
    });
    return sent;
  };

  const send = useMutation({
    mutationFn: postAndShow,
    onSuccess: async (_, { keeper, isNote }) => {
      await keepDraftInCache({ workspaceId, ...path, kind: isNote ? 'note' : 'answer' }, null);
      keeper.endSend();
      setNewerId(undefined);
    },
    onError: (error, { keeper, content }) => {
      keeper.refuseSend(content, error);
      setUnsent(error);
      const isOld = error instanceof ApiError && error.key === 'ticket.newer_message';
      if (isOld) setNewerId(String(error.params.messageId));
    },
    // Fetches the newer message for `StaleGuard`. Sending does not wait for it.
    onSettled: () => refreshTicket(workspaceId, ticket.id),
  });
  const isTold = send.error instanceof ApiError && toldBeside.includes(send.error.key);
  return { send, sendError: isTold ? null : send.error, newerId, forgetNewer: () => setNewerId(undefined) };
}

function fieldsOf(
  { content, recipients, isNote, thenStatus, sendAt, unlessReplied = true }: Omit<Sending, 'keeper'>,
  { messages }: TicketWithMessages,
) {
  const { body, bodyHtml, files, lastSeenMessageId, quote, forwardOf, fromAddress } = content;
  const written = {
    // A forwarded message may have no text of its own.
    ...(body.trim() === '' && forwardOf !== null ? {} : { body: body === '' ? ' ' : body }),
    ...(bodyHtml === null ? {} : { bodyHtml }),
    attachmentIds: files.map(({ id }) => id),
    ...replyOf(content),
    ...(thenStatus === undefined ? {} : { thenStatus }),
  };
  if (isNote) return { ...written, isInternal: true };
  const lastSeen = lastSeenMessageId ?? messages.at(-1)?.id;
  return {
    ...written,
    sendEmail: true,
    ...(sendAt === undefined ? { sendAfterSeconds: preferences().undoSendSeconds } : { sendAt, unlessReplied }),
    // Always names all recipients, so that the mail goes only to people whom its writer saw.
    toAddresses: recipients.to,
    ccAddresses: recipients.cc,
    bccAddresses: recipients.bcc,
    ...(fromAddress === null ? {} : { fromAddress }),
    ...(forwardOf === null ? { quote } : { forwardOf }),
    ...(lastSeen === undefined ? {} : { lastSeenMessageId: lastSeen }),
  };
}
