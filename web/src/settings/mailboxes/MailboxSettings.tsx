import { useRoute } from 'wouter';
import { paths } from '../../paths.ts';
import { MailboxList } from './MailboxList.tsx';
import { MailboxPage } from './MailboxPage.tsx';

/** All mailboxes of the workspace, or the mailbox in the address. */
export function MailboxSettings() {
  const [isOne, found] = useRoute(paths.mailboxPattern);
  return isOne ? <MailboxPage mailboxId={found.mailboxId} /> : <MailboxList />;
}
