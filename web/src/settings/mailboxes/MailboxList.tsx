import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
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
  const source = useQuery({ ...mailboxesQuery(workspace.id), refetchInterval: 30_000 });
  return (
    <>
      {refusal !== undefined && (
        <Notice tone="bad" role="alert">
          <p>
            <b>{words('mailboxes.refused')}</b>
          </p>
          <p>{refusal}</p>
        </Notice>
      )}
      <Section title={words('mailboxes.connected')} count={source.data?.length}>
        <PagedList
          label={words('mailboxes.connected')}
          source={source}
          none={words(isManager ? 'mailboxes.none' : 'mailboxes.noneForAgents')}
        >
          {(mailbox) => {
            const { tone, what } = healthOf(mailbox);
            return (
              <li key={mailbox.id}>
                <span dir="auto">
                  <Link href={paths.mailbox(mailbox.id)}>{mailbox.name ?? mailbox.address}</Link>
                  {mailbox.name !== null && <small className={styles.address}>{mailbox.address}</small>}
                </span>
                <HealthMark tone={tone} what={what} />
              </li>
            );
          }}
        </PagedList>
      </Section>
      {isManager && source.data !== undefined && <ConnectMailbox isFirst={source.data.length === 0} />}
    </>
  );
}
