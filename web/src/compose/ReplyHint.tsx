import { useMutation, useQuery } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';
import { randomId } from '../lib/random-id.ts';
import { type ReplyFor, savedReplyQuery } from '../replies/queries.ts';
import { usePlace } from '../session/Guard.tsx';
import { refreshTicket } from '../tickets/sending/sending.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import styles from './Composer.module.css';
import { type DraftContent, isNothing, missingIn } from './draft/draft-content.ts';
import type { DraftKeeper } from './draft/draft-keeper.ts';

type Props = { content: DraftContent; keeper: DraftKeeper; replyFor: ReplyFor };

/** Names the variables that the writer must replace, and what sending will change in the ticket. */
export function ReplyHint(props: Props) {
  const { content, replyFor } = props;
  const missing = missingIn(content);
  // The service looks up the person of a new ticket when it sends the text.
  const isFilledLater = replyFor.requester !== undefined;
  return (
    <>
      {missing.length > 0 && (
        <p className={styles.hint} role={isFilledLater ? 'status' : 'alert'}>
          {words(isFilledLater ? 'replies.filledLater' : 'replies.missing', { variables: missing.join(', ') })}
        </p>
      )}
      {content.runActions && <ActionsHint {...props} />}
    </>
  );
}

function ActionsHint({ content, keeper, replyFor: { ticketId } }: Props) {
  const { workspace } = usePlace();
  const savedReplyId = content.savedReplyId ?? '';
  const { data } = useQuery({ ...savedReplyQuery(workspace.id, savedReplyId), enabled: savedReplyId !== '' });
  const forget = () => keeper.change({ runActions: false, ...(isNothing(content) && { savedReplyId: null }) });
  const run = useMutation({
    mutationFn: (id: string) =>
      inWorkspace(workspace.id).POST('/tickets/{ticketId}/apply', {
        path: { ticketId: id },
        header: { 'idempotency-key': randomId() },
        body: { savedReplyId },
      }),
    onSuccess: (_, id) => {
      forget();
      refreshTicket(workspace.id, id);
    },
  });
  if (data === undefined) return null;
  return (
    <>
      <p className={styles.hint} role="status">
        {words('replies.runs', { name: data.name })}
        {/* Without a text, there is nothing to send. */}
        {ticketId !== undefined && isNothing(content) && (
          <Button disabled={run.isPending} onClick={() => run.mutate(ticketId)}>
            {words('replies.runNow')}
          </Button>
        )}
        <Button onClick={forget}>{words('replies.runNothing')}</Button>
      </p>
      {run.error !== null && <Fault error={run.error} />}
    </>
  );
}
