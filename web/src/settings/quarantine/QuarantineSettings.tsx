import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { itemsOf } from '../../api/items.ts';
import { fullTime } from '../../lib/dates.ts';
import { fileSize } from '../../lib/file-size.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Action } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import styles from './Quarantine.module.css';
import { type Quarantined, quarantinedQuery, quarantineQuery, rawAddress, settle } from './queries.ts';

/** The mails that came in and could not be read. */
export function QuarantineSettings() {
  const { workspace } = usePlace();
  const source = useInfiniteQuery({ ...quarantineQuery(workspace.id), select: itemsOf });
  return (
    <Section title={words('quarantine.title')}>
      <PagedList
        label={words('quarantine.title')}
        source={source}
        none={words('quarantine.none')}
        more={words('quarantine.older')}
      >
        {(mail, onGone) => <QuarantineLine key={mail.id} mail={mail} onGone={onGone} />}
      </PagedList>
    </Section>
  );
}

type LineProps = { mail: Quarantined /** Takes the focus from a line that leaves. */; onGone: () => void };

function QuarantineLine({ mail, onGone }: LineProps) {
  const { workspace } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const detailsId = useId();
  const time = fullTime(mail.receivedAt);
  const change = async (verb: 'retry' | 'discard') => {
    await settle(workspace.id, mail.id, verb);
    onGone();
    showToast(words(`quarantine.${verb}.done`));
  };
  const sure =
    mail.ticketNumber === null
      ? words('quarantine.sureLost')
      : words('quarantine.sure', { number: mail.ticketNumber, size: fileSize(mail.size) });
  return (
    <li>
      <Facts mail={mail} time={time} />
      <span className={styles.actions}>
        <Button
          aria-label={words('quarantine.lookNamed', { time })}
          aria-expanded={isOpen}
          aria-controls={detailsId}
          onClick={() => setIsOpen(!isOpen)}
        >
          {words('quarantine.look')}
        </Button>
        {workspace.role !== 'viewer' && (
          <>
            <Action aria-label={words('quarantine.retryNamed', { time })} run={() => change('retry')}>
              {words('quarantine.retry')}
            </Action>
            <Action aria-label={words('quarantine.discardNamed', { time })} sure={sure} run={() => change('discard')}>
              {words('quarantine.discard')}
            </Action>
          </>
        )}
      </span>
      <div id={detailsId} className={styles.details}>
        {isOpen && <Beginning mail={mail} />}
      </div>
    </li>
  );
}

function Facts({ mail, time }: { mail: Quarantined; time: string }) {
  const { reason, size, envelopeFrom, ticketNumber } = mail;
  const facts = [time, fileSize(size), envelopeFrom && words('quarantine.from', { address: envelopeFrom })];
  return (
    <span>
      <b>{reason ?? words('quarantine.noReason')}</b>
      <br />
      <small>{facts.filter(Boolean).join(' · ')}</small>
      {ticketNumber !== null && (
        <>
          {' · '}
          <Link href={paths.ticket(ticketNumber)}>{words('quarantine.ticket', { number: ticketNumber })}</Link>
        </>
      )}
    </span>
  );
}

/** The mail's first lines as they came, and the whole to download. */
function Beginning({ mail }: { mail: Quarantined }) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery(quarantinedQuery(workspace.id, mail.id));
  if (error !== null) return <Fault error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <p>{words('loading')}</p>;
  return (
    <>
      {mail.envelopeTo.length > 0 && <p>{words('quarantine.to', { addresses: mail.envelopeTo.join(', ') })}</p>}
      {data.beginning === null && <p>{words('quarantine.lost')}</p>}
      {data.beginning === '' && <p>{words('quarantine.noBytes')}</p>}
      {data.beginning !== null && data.beginning !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll this area
        <pre tabIndex={0} role="group" aria-label={words('quarantine.beginning')}>
          {data.beginning}
        </pre>
      )}
      {mail.messageId !== null && (
        <a href={rawAddress(workspace.id, mail.messageId)} download>
          {words('quarantine.download')}
        </a>
      )}
    </>
  );
}
