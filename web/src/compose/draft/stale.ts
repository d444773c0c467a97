import type { Message } from '../../api/client.ts';

type Writing = {
  lastSeenMessageId: string | null;
  /** The message because of which the service has refused the answer. */
  newerId: string | undefined;
  userId: string;
};

/** The messages by customers and colleagues since the writer last looked. Automatic mail does not count. */
export function newerThan(messages: readonly Message[], { lastSeenMessageId, newerId, userId }: Writing): Message[] {
  const seenAt = messages.findIndex(({ id }) => id === lastSeenMessageId);
  return messages.filter(({ id, author, automaticKind }, at) => {
    if (id === newerId) return true;
    return (
      seenAt !== -1 && at > seenAt && author.userId !== userId && author.type !== 'system' && automaticKind === null
    );
  });
}
