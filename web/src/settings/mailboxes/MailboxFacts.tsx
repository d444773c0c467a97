import type { ReactNode } from 'react';
import { datedTime, fullDay } from '../../lib/dates.ts';
import { type WordKey, words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import type { Mailbox } from './health.ts';
import styles from './mailboxes.module.css';

/** The service's facts about a mailbox. */
export function MailboxFacts({ mailbox }: { mailbox: Mailbox }) {
  const { address, delegateAddress, aliases, connectedAt, lastSyncedAt, history, watches, stuckMails } = mailbox;
  return (
    <Section title={words('mailboxes.facts')}>
      <dl className={styles.facts}>
        <Fact name="mailboxes.address">{address}</Fact>
        {delegateAddress !== null && <Fact name="mailboxes.delegate">{delegateAddress}</Fact>}
        {aliases.length > 0 && <Fact name="mailboxes.aliases">{aliases.join(', ')}</Fact>}
        <Fact name="mailboxes.lastLook">
          {lastSyncedAt === null ? words('mailboxes.never') : datedTime(lastSyncedAt)}
        </Fact>
        <Fact name="mailboxes.watches">
          {watches.length === 0
            ? words('mailboxes.noWatches')
            : watches.map(({ key, expiresAt }) => (
                <span key={key}>{words('mailboxes.watch', { what: watchWords(key), time: datedTime(expiresAt) })}</span>
              ))}
        </Fact>
        {history !== null && (
          <Fact name="mailboxes.history">
            {words(history.isComplete ? 'mailboxes.historyDone' : 'mailboxes.historyRunning', {
              day: fullDay(history.since),
            })}
          </Fact>
        )}
        <Fact name="mailboxes.stuck">
          {stuckMails === 0 ? words('mailboxes.stuckNone') : words('mailboxes.stuckSome', { count: stuckMails })}
        </Fact>
        <Fact name="mailboxes.connectedAt">{datedTime(connectedAt)}</Fact>
      </dl>
    </Section>
  );
}

function Fact({ name, children }: { name: WordKey; children: ReactNode }) {
  return (
    <div>
      <dt>{words(name)}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const watchNames: Record<string, WordKey> = {
  inbox: 'mailboxes.watch.inbox',
  sentitems: 'mailboxes.watch.sentitems',
  mailbox: 'mailboxes.watch.mailbox',
};

/** The names of watches come from the provider. */
function watchWords(key: string): string {
  const name = watchNames[key];
  return name === undefined ? key : words(name);
}
