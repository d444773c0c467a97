import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { inWorkspace } from '../../api/client.ts';
import { isAddress, isSameAddress } from '../../lib/addresses.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import styles from './NewTicketPage.module.css';

const shownMax = 3;

/** The person's tickets that are not closed, because the new text may belong to one of these tickets. */
export function OpenTicketsHint({ address }: { address: string | undefined }) {
  const { workspace } = usePlace();
  const isKnown = address !== undefined && isAddress(address);
  const tickets = useQuery({ ...openTicketsQuery(workspace.id, address ?? ''), enabled: isKnown }).data ?? [];
  if (!isKnown || tickets.length === 0) return null;
  return (
    <div className={styles.hint} role="status">
      <Icon name="contacts" />
      <div>
        {words('new.open', { count: tickets.length })}
        <ul>
          {tickets.slice(0, shownMax).map(({ id, ticketNumber, subject }) => (
            <li key={id}>
              <Link href={paths.ticket(ticketNumber)} dir="auto">
                #{ticketNumber} {subject}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function openTicketsQuery(workspaceId: string, address: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'contacts', address, 'open'],
    queryFn: async () => {
      const here = inWorkspace(workspaceId);
      const found = await here.GET('/contacts', { query: { search: address } });
      const contact = found.find(({ emails }) => emails.some((email) => isSameAddress(email, address)));
      if (contact === undefined) return [];
      const { tickets } = await here.GET('/contacts/{contactId}', { path: { contactId: contact.id } });
      return tickets.filter(({ status }) => status !== 'closed');
    },
  });
}
