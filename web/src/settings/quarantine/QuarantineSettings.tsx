import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { fullTime } from '../../lib/dates.ts';
import { fileSize } from '../../lib/file-size.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import styles from './Quarantine.module.css';
import { type Quarantined, quarantinedQuery, quarantineQuery, rawAddress, settle } from './queries.ts';

/** The mails that came in and could not be read. */
export function QuarantineSettings() {
  const { workspace } = usePlace();
  const list = useInfiniteQuery(quarantineQuery(workspace.id));
  const section = useRef<HTMLDivElement>(null);
  const items = list.data?.pages.flatMap((page) => page.items);
  return (
    <Section title={words('quarantine.title')} hint={words('quarantine.hint')}>
      {list.error !== null && <Fault error={list.error} onRetry={() => void list.refetch()} />}
      {items === undefined && list.error === null && <p>{words('loading')}</p>}
      <div ref={section} tabIndex={-1} className={styles.rest}>
        {items?.length === 0 && <p>{words('quarantine.none')}</p>}
        <ul aria-label={words('quarantine.title')}>
          {items?.map((mail) => (
            <QuarantineLine key={mail.id} mail={mail} onGone={() => section.current?.focus()} />
          ))}
        </ul>
      </div>
      {list.hasNextPage && (
        <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {words('quarantine.older')}
        </Button>
      )}
    </Section>
  );
}

type LineProps = { mail: Quarantined /** Takes the focus from a line that leaves. */; onGone: () => void };

function QuarantineLine({ mail, onGone }: LineProps) {
  const { workspace } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const detailsId = useId();
  const time = fullTime(mail.receivedAt);
  const change = useMutation({
    mutationFn: (verb: 'retry' | 'discard') => settle(workspace.id, mail.id, verb),
    onSuccess: (_, verb) => {
      onGone();
      showToast(words(`quarantine.${verb}.done`));
    },
  });
  const isSure = () =>
    window.confirm(
      mail.ticketNumber === null
        ? words('quarantine.sureLost')
        : words('quarantine.sure', { number: mail.ticketNumber, size: fileSize(mail.size) }),
    );
  const isBusy = change.isPending;
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
            <Button
              aria-label={words('quarantine.retryNamed', { time })}
              disabled={isBusy}
              onClick={() => change.mutate('retry')}
            >
              {words('quarantine.retry')}
            </Button>
            <Button
              aria-label={words('quarantine.discardNamed', { time })}
              disabled={isBusy}
              onClick={() => isSure() && change.mutate('discard')}
            >
              {words('quarantine.discard')}
            </Button>
          </>
        )}
      </span>
      <div id={detailsId} className={styles.details}>
        {isOpen && <Beginning mail={mail} />}
      </div>
      {change.error !== null && <Fault error={change.error} />}
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
