import type { Message } from '../api/client.ts';

type Writing = {
  lastSeenMessageId: string | null;
  /** A message by which the service has refused the answer. */
  newerId: string | undefined;
  userId: string;
};

/** What others have written since the writer last looked: a customer or a colleague, but no machine. */
export function newerThan(messages: readonly Message[], { lastSeenMessageId, newerId, userId }: Writing): Message[] {
  const seenAt = messages.findIndex(({ id }) => id === lastSeenMessageId);
  return messages.filter(({ id, author, automaticKind }, at) => {
    if (id === newerId) return true;
    return (
      seenAt !== -1 && at > seenAt && author.userId !== userId && author.type !== 'system' && automaticKind === null
    );
  });
}
