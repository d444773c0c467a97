import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import { useIsManager } from '../manager.ts';
import { Section } from '../Section.tsx';
import { ConnectMailbox } from './ConnectMailbox.tsx';
import { HealthMark } from './HealthMark.tsx';
import { healthOf } from './health.ts';
import styles from './mailboxes.module.css';
import { takeRefusal } from './refusal.ts';

/** The mailboxes with their health, and ways to connect another. */
export function MailboxList() {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const [refusal] = useState(takeRefusal);
  const { data, error, refetch } = useQuery({ ...mailboxesQuery(workspace.id), refetchInterval: 30_000 });
  return (
    <>
      {refusal !== undefined && (
        <div role="alert" className={styles.refusal}>
          <p>{words('mailboxes.refused')}</p>
          <p>{refusal}</p>
        </div>
      )}
      <Section title={words('mailboxes.connected')} hint={words('mailboxes.hint')}>
        {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
        {data?.length === 0 && <p>{words(isManager ? 'mailboxes.none' : 'mailboxes.noneForAgents')}</p>}
        <ul>
          {data?.map((mailbox) => {
            const { tone, what } = healthOf(mailbox);
            return (
              <li key={mailbox.id}>
                <span>
                  <Link href={paths.mailbox(mailbox.id)}>{mailbox.name ?? mailbox.address}</Link>
                  {mailbox.name !== null && <small className={styles.address}>{mailbox.address}</small>}
                </span>
                <HealthMark tone={tone} what={what} />
              </li>
            );
          })}
        </ul>
      </Section>
      {isManager && data !== undefined && <ConnectMailbox isFirst={data.length === 0} />}
    </>
  );
}
