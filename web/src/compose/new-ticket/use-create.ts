import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace, type Ticket } from '../../api/client.ts';
import { preferences } from '../../lib/preferences.ts';
import { randomId } from '../../lib/random-id.ts';
import { paths } from '../../paths.ts';
import { changeTicket, tellRefusals } from '../../tickets/changes.ts';
import { rowIn } from '../../tickets/rows.ts';
import { tellWhenCreated } from '../../tickets/sending/tell-sent.ts';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { type DraftContent, replyOf, type Start } from '../draft/draft-content.ts';
import type { DraftKeeper } from '../draft/draft-keeper.ts';
import { useUnsent, warnBeforeLeaving } from '../leaving.ts';
import { withoutLostReply } from '../lost-reply.ts';
import { tellWhenScheduled } from '../scheduled/steer.ts';
import { ownAddress } from '../sender/sender.ts';
import type { Sender } from '../sender/use-sender.ts';
import { untilAnswered } from '../until-answered.ts';
import { keepNewTicketDraft, type NewTicketPlace } from './new-ticket-draft.ts';

/** @param sendAt the time for which its mail is scheduled */
type Creating = { content: DraftContent; start: Start; isInternal: boolean; sendAt?: string };

type Surroundings = {
  /** The list beside the card, as the address writes it. */
  listed: string;
  keeper: DraftKeeper;
  from: Sender;
};

/** Creates the ticket, and shows it unless its writer has gone on. */
export function useCreate(place: NewTicketPlace, { keeper, from, listed }: Surroundings) {
  const { workspaceId, userId, draftId } = place;
  const [, navigate] = useLocation();
  const { setUnsent, isShown } = useUnsent(undefined, draftId);
  const create = ({ content, start: { assigneeId, tags }, isInternal, sendAt }: Creating) => {
    const { subject, body, bodyHtml, to, cc, bcc, fromAddress, files } = content;
    const mailed = {
      ...{ sendEmail: true, ...from.body },
      ...(sendAt === undefined
        ? { sendAfterSeconds: preferences().undoSendSeconds }
        : { sendAt, unlessReplied: false }),
      ...{ requester: { email: to[0] ?? '' }, toAddresses: to, ccAddresses: cc, bccAddresses: bcc },
      ...(fromAddress === null ? {} : { fromAddress }),
    };
    const written = {
      ...{ subject, body, assigneeId, tags, attachmentIds: files.map(({ id }) => id) },
      ...replyOf(content),
      ...(bodyHtml === null ? {} : { bodyHtml }),
      ...(isInternal ? {} : mailed),
    };
    const header = { 'idempotency-key': randomId() };
    return untilAnswered(async () => {
      const body = { ...(await keeper.draftOfSent()), ...written };
      return inWorkspace(workspaceId).POST('/tickets', { header, body });
    });
  };
  return useMutation({
    mutationFn: async (creating: Creating) => {
      const { content, isInternal, sendAt } = creating;
      setUnsent(undefined);
      keeper.beginSend();
      // The service fills the variables of a saved reply: without the reply, they would go to the customer.
      const post = (written: DraftContent) => create({ ...creating, content: written });
      const made = (content.body.includes('{{') ? post : withoutLostReply(post))(content);
      if (sendAt !== undefined) tellWhenScheduled(firstMailOf(made, workspaceId), { workspaceId, userId }, sendAt);
      else if (!isInternal) tellWhenCreated(made, workspaceId);
      return warnBeforeLeaving(made);
    },
    onSuccess: async (ticket, { start: { status }, isInternal, sendAt }) => {
      const { ticketNumber, mailboxId } = ticket;
      if (!isInternal) from.remember(mailboxId ?? ownAddress);
      // The service makes every ticket open.
      if (status !== 'open') void changeTicket(workspaceId, rowIn(ticket), { status }).then(tellRefusals);
      await keepNewTicketDraft(place, null);
      keeper.endSend();
      const show = (list: string) => navigate(paths.ticket(ticketNumber, list));
      if (isShown.current) return show(listed);
      if (sendAt !== undefined) return undefined;
      // The person has gone on to something else.
      const run = () => show(window.location.search.slice(1));
      showToast(words('new.created', { number: ticketNumber }), { action: { text: words('new.show'), run } });
    },
    onError: (error, { content }) => {
      keeper.refuseSend(content, error);
      setUnsent(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'tickets'] }),
  });
}

/** The mail that waits in a new ticket, which does not show it as its last message yet. */
async function firstMailOf(made: Promise<Ticket>, workspaceId: string) {
  const { id: ticketId, ticketNumber } = await made;
  const { messages } = await inWorkspace(workspaceId).GET('/tickets/{ticketId}/messages', { path: { ticketId } });
  const [mail] = messages;
  if (mail === undefined) throw new Error(`#${ticketNumber} has no message`);
  return { id: mail.id, ticketId, ticketNumber };
}
