import { notifyManager, useQuery } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import type { Message, TicketWithMessages } from '../api/client.ts';
import { refreshAskedLists } from './list-places.ts';
import { findRow, ticketKey } from './rows.ts';

type Sending = { message: Message; known: ReadonlySet<string> };

const none: readonly Sending[] = [];
const sendingKey = (workspaceId: string, ticketId: string) => ['workspace', workspaceId, 'sending', ticketId] as const;

/** Shows a message in its ticket from the moment of the key until the service has answered. */
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
      // In one drawing, so that the message never goes and comes.
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
    // Nobody asks for them.
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
      wordsIn(replyText ?? body) === wordsIn(message.body),
  );
}

const wordsIn = (text: string) => text.trim().replace(/\s+/g, ' ');

/** Reads again what a message changes: its ticket, and the lists of which only the service knows what is in them. */
export function refreshTicket(workspaceId: string, ticketId: string): void {
  const row = findRow(workspaceId, ticketId);
  // All: its reader may have gone on to the next ticket.
  if (row !== undefined)
    void queryClient.invalidateQueries({ queryKey: ticketKey(workspaceId, row.ticketNumber), refetchType: 'all' });
  refreshAskedLists(workspaceId);
}
