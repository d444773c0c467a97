import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { fullTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { outOfReachSince } from '../tickets/mailbox-state.ts';
import { mailboxesQuery } from '../tickets/queries.ts';
import { words } from '../words/words.ts';
import { BannerLine } from './BannerLine.tsx';

/** Says which mailboxes bring no mail, and what helps. Each mailbox has its line. */
export function MailBanner() {
  const { workspace } = usePlace();
  const { data = [] } = useQuery({ ...mailboxesQuery(workspace.id), refetchInterval: 60_000 });
  const isManager = workspace.role === 'owner' || workspace.role === 'admin';
  const troubled = data.flatMap((mailbox) => {
    const since = outOfReachSince(mailbox);
    if (mailbox.status === 'reauthorization_required')
      return [{ mailbox, text: words('banner.consent', nameOf(mailbox)) }];
    if (since === null) return [];
    return [{ mailbox, text: words('banner.away', { ...nameOf(mailbox), time: fullTime(since) }) }];
  });
  return troubled.map(({ mailbox, text }) => (
    <BannerLine key={mailbox.id} kind="warn" label={words('banner.mailbox', nameOf(mailbox))}>
      {text}{' '}
      {isManager ? (
        <Link href={paths.mailbox(mailbox.id)}>{words('banner.toMailbox')}</Link>
      ) : (
        mailbox.status === 'reauthorization_required' && words('banner.askManager')
      )}
    </BannerLine>
  ));
}

function nameOf({ name, address }: { name: string | null; address: string }): { name: string } {
  return { name: name ?? address };
}
