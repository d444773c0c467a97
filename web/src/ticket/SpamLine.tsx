import { useMutation } from '@tanstack/react-query';
import type { TicketWithMessages } from '../api/client.ts';
import { commandProps } from '../commands.ts';
import { fullDay } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { senderOf, unblockRequester } from '../tickets/spam.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import styles from './TicketHead.module.css';

/** As many days as the service keeps spam after its last mail. */
const keptDays = 30;

/** Says why a ticket is spam, whether its sender is proven, and until when it stays. */
export function SpamLine({ ticket }: { ticket: TicketWithMessages }) {
  const { workspace } = usePlace();
  const unblock = useMutation({
    mutationFn: () => unblockRequester(workspace.id, ticket),
    onSuccess: () => showToast(words('spam.unblocked', { number: ticket.ticketNumber })),
  });
  const { spamReason, spamAt, lastMessageAt, requester } = ticket;
  const since = Math.max(Date.parse(spamAt ?? lastMessageAt), Date.parse(lastMessageAt));
  const day = fullDay(new Date(since + keptDays * 86_400_000).toISOString());
  const isBlocked = spamReason !== 'marked';
  return (
    <div role="status" className={styles.notice}>
      <span>
        {words(`spam.reason.${spamReason ?? 'marked'}`)} {proofOf(ticket)} {words('spam.until', { day })}
      </span>
      {workspace.role !== 'viewer' && (
        <>
          <Button size="tool" {...commandProps('spam')}>
            {words('spam.not')}
          </Button>
          {isBlocked && requester !== null && (
            <Button look="quiet" size="tool" disabled={unblock.isPending} onClick={() => unblock.mutate()}>
              {words(spamReason === 'blocked_domain' ? 'spam.unblockDomain' : 'spam.unblock')}
            </Button>
          )}
          {!isBlocked && requester !== null && (
            <Button size="tool" {...commandProps('block')} look="quiet">
              {words('spam.block')}
            </Button>
          )}
        </>
      )}
      {unblock.error !== null && <Fault error={unblock.error} />}
    </div>
  );
}

/** Whether the newest mail comes from the domain that its sender names. */
function proofOf({ messages, ...ticket }: TicketWithMessages): string {
  const mail = messages.findLast(({ direction }) => direction === 'inbound');
  if (mail?.authentication == null) return '';
  const email = mail.author.email ?? '';
  const domain = email.slice(email.lastIndexOf('@') + 1) || senderOf(ticket, 'domain');
  return domain === '' ? '' : words(`spam.proof.${mail.authentication.verdict}`, { domain });
}
