import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { datedTime } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { Action } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Disclosure } from '../../ui/Disclosure.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { BackLink } from '../BackLink.tsx';
import { useIsManager } from '../manager.ts';
import { Section } from '../Section.tsx';
import { useConsent, useDisconnect, useStateChange } from './changes.ts';
import { HealthMark } from './HealthMark.tsx';
import { healthOf, type Mailbox } from './health.ts';
import { MailboxCheck } from './MailboxCheck.tsx';
import { MailboxDefaults } from './MailboxDefaults.tsx';
import { MailboxFacts } from './MailboxFacts.tsx';
import { MailboxFolders } from './MailboxFolders.tsx';
import { MailboxIntake } from './MailboxIntake.tsx';
import styles from './mailboxes.module.css';
import { PasswordAgain } from './PasswordAgain.tsx';

/** The page of a mailbox: its health, its work, its defaults, and the way out. */
export function MailboxPage({ mailboxId }: { mailboxId: string }) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const { data, error, refetch } = useQuery({ ...mailboxesQuery(workspace.id), refetchInterval: 10_000 });
  const mailbox = data?.find(({ id }) => id === mailboxId);
  if (error !== null && data === undefined) return <Fault error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <p>{words('loading')}</p>;
  return (
    <>
      <BackLink href={paths.settings('mailboxes')}>{words('mailboxes.all')}</BackLink>
      {mailbox === undefined ? (
        <p>{words('mailboxes.missing')}</p>
      ) : (
        <>
          <State mailbox={mailbox} isManager={isManager} />
          {isManager && <MailboxCheck mailboxId={mailboxId} />}
          <MailboxFacts mailbox={mailbox} />
          {isManager && mailbox.provider === 'imap' && <MailboxIntake mailboxId={mailboxId} />}
          {isManager && mailbox.provider === 'imap' && <MailboxFolders mailboxId={mailboxId} />}
          {isManager && <MailboxDefaults key={mailboxId} mailbox={mailbox} />}
          {isManager && <Disconnect mailbox={mailbox} />}
        </>
      )}
    </>
  );
}

function State({ mailbox, isManager }: { mailbox: Mailbox; isManager: boolean }) {
  const { tone, what, why, said, help } = healthOf(mailbox);
  const isNew = new URLSearchParams(window.location.search).get('consent') === 'connected';
  return (
    <Section title={mailbox.address}>
      {isNew && <NowConnected />}
      <p className={styles.state}>
        <HealthMark tone={tone} what={what} />
        {mailbox.status !== 'active' && (
          <small>{words('mailboxes.since', { time: datedTime(mailbox.statusChangedAt) })}</small>
        )}
      </p>
      {why !== null && <p>{why}</p>}
      {said !== null && (
        <Disclosure summary={words('mailboxes.said')}>
          <p lang="en">{said}</p>
        </Disclosure>
      )}
      {help !== null && <p className={styles.hint}>{help}</p>}
      {isManager ? <Actions mailbox={mailbox} /> : <p className={styles.hint}>{words('mailboxes.managersOnly')}</p>}
    </Section>
  );
}

/** The result of the form, which stood further down on its page. */
function NowConnected() {
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    said.current?.focus({ preventScroll: true });
    said.current?.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <p ref={said} role="status" tabIndex={-1}>
      {words('mailboxes.nowConnected')}
    </p>
  );
}

function Actions({ mailbox }: { mailbox: Mailbox }) {
  const { id, status, sendStatus, provider, address, delegateAddress } = mailbox;
  const change = useStateChange(id);
  const consent = useConsent();
  const again = () =>
    provider !== 'imap' &&
    consent.mutate({
      provider,
      address: delegateAddress ?? address,
      ...(delegateAddress !== null && { sharedAddress: address }),
    });
  const isBusy = change.isPending || consent.isPending;
  const canResume = status === 'paused' || status === 'error' || (status === 'active' && sendStatus === 'error');
  const fault = change.error ?? consent.error;
  return (
    <>
      <div className={styles.buttons}>
        {provider !== 'imap' && (status === 'reauthorization_required' || status === 'error') && (
          <Button look={status === 'error' ? 'plain' : 'primary'} disabled={isBusy} onClick={again}>
            {words('mailboxes.again')}
          </Button>
        )}
        {canResume && (
          <Button look="primary" disabled={isBusy} onClick={() => change.mutate('resume')}>
            {words(status === 'paused' ? 'mailboxes.resume' : 'mailboxes.tryNow')}
          </Button>
        )}
        {status === 'active' && (
          <Button
            disabled={isBusy}
            onClick={() => change.mutate('sync', { onSuccess: () => showToast(words('mailboxes.syncing')) })}
          >
            {words('mailboxes.sync')}
          </Button>
        )}
        {status !== 'paused' && (
          <Button disabled={isBusy} onClick={() => change.mutate('pause')}>
            {words('mailboxes.pause')}
          </Button>
        )}
      </div>
      {provider === 'imap' && (status === 'reauthorization_required' || status === 'error') && (
        <PasswordAgain address={address} />
      )}
      {fault !== null && <Fault error={fault} />}
    </>
  );
}

function Disconnect({ mailbox: { id, address } }: { mailbox: Mailbox }) {
  const [, navigate] = useLocation();
  const disconnect = useDisconnect(id);
  const run = async () => {
    await disconnect.mutateAsync();
    showToast(words('mailboxes.disconnected', { address }));
    navigate(paths.settings('mailboxes'));
  };
  return (
    <Section title={words('mailboxes.disconnect')} hint={words('mailboxes.disconnectHint')}>
      <Action look="danger" sure={words('mailboxes.sure', { address })} run={run}>
        {words('mailboxes.disconnect')}
      </Action>
    </Section>
  );
}
