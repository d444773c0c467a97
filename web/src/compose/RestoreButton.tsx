import { useQuery } from '@tanstack/react-query';
import type { Message, TicketWithMessages } from '../api/client.ts';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import { useDraft } from './draft/use-draft.ts';
import { draftsQuery } from './queries.ts';
import { isTakingBack } from './take-back.ts';
import { isTextMissing } from './undone-text.ts';

type Props = { message: Message; ticket: TicketWithMessages; className: string | undefined; onRestore: () => void };

/** Restores the text of an undone answer whose tab died before the text was back in the composer. */
export function RestoreButton({ message, ticket, className, onRestore }: Props) {
  const { workspace, userId } = usePlace();
  const place = { workspaceId: workspace.id, ticketId: ticket.id };
  const isKnown = useQuery(draftsQuery(workspace.id, ticket.id)).data !== undefined;
  const answer = useDraft(userId, { ...place, kind: 'answer' });
  const note = useDraft(userId, { ...place, kind: 'note' });
  // While a text is being sent or undone, it is in no draft for a moment.
  const isSettled = isKnown && answer.keeper.isIdle && note.keeper.isIdle && !isTakingBack(message.id);
  const drafts = [answer.draft.content, note.draft.content];
  if (!isSettled || !isTextMissing(message, { drafts, messages: ticket.messages })) return null;
  return (
    <Button look="quiet" className={className} onClick={onRestore}>
      {words('message.restoreUndone')}
    </Button>
  );
}
