import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Ticket } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { nameOfContact } from '../../tickets/persons.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { IconButton } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import { copyText } from '../copy-text.ts';
import { contactQuery } from '../queries.ts';
import styles from './Rail.module.css';
import { RemotePicturesChoice } from './RemotePicturesChoice.tsx';
import { useTicketsOf } from './use-tickets-of.ts';

type Props = {
  requester: NonNullable<Ticket['requester']>;
  /** Whether to focus the choice of pictures. */
  arePicturesWanted: boolean;
  onFocused: () => void;
};

/** The API returns at most the newest hundred tickets. */
const toldMax = 100;

/** The person who asks: name, addresses, and how many tickets they have. */
export function Person({ requester, arePicturesWanted, onFocused }: Props) {
  const { workspace } = usePlace();
  const { data: contact, error, refetch } = useQuery(contactQuery(workspace.id, requester.contactId));
  const name = nameOfContact(contact ?? requester);
  const tickets = useTicketsOf(requester.contactId);
  return (
    <section className={styles.person} aria-label={words('contact.label')}>
      <div className={styles.who}>
        <Avatar name={name} of={requester.email} size={40} />
        <div className={styles.named}>
          <h2 dir="auto">
            <Link href={paths.contact(requester.contactId)} title={name}>
              {name}
            </Link>
          </h2>
          <p className={styles.sub}>
            {tickets !== undefined &&
              words(tickets.length < toldMax ? 'contact.count' : 'contact.countAtLeast', {
                open: tickets.filter(({ status }) => status !== 'closed').length,
                count: tickets.length,
              })}
          </p>
        </div>
      </div>
      <ul className={styles.addresses}>
        {(contact?.emails ?? [requester.email]).map((email) => (
          <li key={email} className={styles.line}>
            <Icon name="mail" />
            <span className="cut" dir="auto" title={email}>
              {email}
            </span>
            <IconButton
              icon="copy"
              className={styles.copy}
              aria-label={words('rail.copy', { what: email })}
              title={words('rail.copyAddress')}
              onClick={() => void copyText(email)}
            />
          </li>
        ))}
      </ul>
      {contact !== undefined && (
        <RemotePicturesChoice
          contactId={requester.contactId}
          isAlways={contact.showsRemoteImages}
          isWanted={arePicturesWanted}
          onFocused={onFocused}
        />
      )}
      {error !== null && contact === undefined && <Fault error={error} onRetry={() => void refetch()} />}
    </section>
  );
}
