import { notifyManager, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import type { Message, TicketWithMessages } from '../../api/client.ts';
import { refreshAskedLists } from '../list-places.ts';
import { findRow, ticketKey } from '../rows.ts';

type Sending = { message: Message; known: ReadonlySet<string> };

const none: readonly Sending[] = [];
const sendingKey = (workspaceId: string, ticketId: string) => ['workspace', workspaceId, 'sending', ticketId] as const;

/** Shows a message in its ticket until the service has answered. */
export function showWhileSent(
  workspaceId: string,
  ticket: TicketWithMessages,
  message: Message,
  sent: Promise<Message>,
): void {
  const key = sendingKey(workspaceId, ticket.id);
  const known = new Set(ticket.messages.map(({ id }) => id));
  const change = (next: (before: readonly Sending[]) => readonly Sending[]) =>
    queryClient.setQueryData<readonly Sending[]>(key, (before) => next(before ?? none));
  const end = () => change((before) => before.filter((one) => one.message !== message));
  change((before) => [...before, { message, known }]);
  sent.then(
    (answered) =>
      // One batch for both updates, or the message would vanish for a moment.
      notifyManager.batch(() => {
        receiveMessage(workspaceId, ticket.ticketNumber, answered);
        end();
      }),
    end,
  );
}

function receiveMessage(workspaceId: string, ticketNumber: number, message: Message): void {
  queryClient.setQueryData<TicketWithMessages>(ticketKey(workspaceId, ticketNumber), (ticket) =>
    ticket === undefined || ticket.messages.some(({ id }) => id === message.id)
      ? ticket
      : { ...ticket, messages: [...ticket.messages, message] },
  );
}

/** The messages of a ticket that are on their way to the service. */
export function useSending(workspaceId: string, ticket: TicketWithMessages | undefined): Message[] {
  const { data } = useQuery({
    queryKey: sendingKey(workspaceId, ticket?.id ?? ''),
    queryFn: () => none,
    initialData: none,
    // Only `showWhileSent` fills this query.
    staleTime: 'static',
  });
  return data.filter((sending) => !isThere(sending, ticket?.messages ?? [])).map(({ message }) => message);
}

/** The live stream may bring the message before its request is answered, or in place of a lost answer. */
function isThere({ message, known }: Sending, messages: readonly Message[]): boolean {
  return messages.some(
    ({ id, author, body, replyText, isInternal }) =>
      !known.has(id) &&
      author.userId === message.author.userId &&
      isInternal === message.isInternal &&
      hasSameWords({ replyText, body }, message),
  );
}

/** Whether the service's message has the words of a text that is being sent. */
export function hasSameWords(
  { replyText, body }: Pick<Message, 'replyText' | 'body'>,
  sent: { body: string },
): boolean {
  return wordsIn(replyText ?? body) === wordsIn(sent.body);
}

const wordsIn = (text: string) => text.trim().replace(/\s+/g, ' ');

/** Fetches a ticket again after a message, and the lists that only the service can decide. */
export function refreshTicket(workspaceId: string, ticketId: string): void {
  const row = findRow(workspaceId, ticketId);
  // `all` includes a ticket that its reader has left already.
  if (row !== undefined)
    void queryClient.invalidateQueries({ queryKey: ticketKey(workspaceId, row.ticketNumber), refetchType: 'all' });
  refreshAskedLists(workspaceId);
}
