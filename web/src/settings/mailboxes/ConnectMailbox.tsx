import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { configQuery, type PublicConfig } from '../../session/queries.ts';
import { SessionForm } from '../../session/SessionForm.tsx';
import { Action } from '../../ui/Action.tsx';
import { Disclosure } from '../../ui/Disclosure.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { CopyText } from '../CopyText.tsx';
import { Section } from '../Section.tsx';
import { beginConsent, useConsent } from './changes.ts';
import { HistoryChoice } from './HistoryChoice.tsx';
import styles from './mailboxes.module.css';
import { ProviderSetup } from './ProviderSetup.tsx';
import { ServerForm } from './ServerForm.tsx';

type Provider = PublicConfig['mailboxProviders'][number];

/** A form for each provider; where the operator has not set a provider up, the settings to copy. */
export function ConnectMailbox({ isFirst }: { isFirst: boolean }) {
  const { data: config, error, refetch } = useQuery(configQuery);
  const firstSetUp = config?.mailboxProviders.find(({ isSetUp }) => isSetUp);
  return (
    <Section title={words('mailboxes.connect')}>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {config?.mailboxProviders.map((provider) => (
        <Disclosure
          key={provider.provider}
          isOpen={isFirst && provider === firstSetUp}
          summary={
            <>
              {provider.name} {!provider.isSetUp && <small>{words('mailboxes.notSetUp')}</small>}
            </>
          }
        >
          {provider.isSetUp ? <ConsentForm provider={provider} /> : <ProviderSetup provider={provider} />}
        </Disclosure>
      ))}
      <Disclosure summary={words('mailboxes.servers')}>
        <ServerForm />
      </Disclosure>
    </Section>
  );
}

function ConsentForm({ provider: { provider, name } }: { provider: Provider }) {
  const consent = useConsent();
  const begin = ({ address = '', sharedAddress = '', historyDays = '0' }: Record<string, string>) =>
    consent.mutateAsync({
      provider,
      ...(address.trim() !== '' && { address }),
      ...(sharedAddress.trim() !== '' && { sharedAddress }),
      historyDays: Number(historyDays),
    });
  return (
    <>
      <p className={styles.hint}>{words('mailboxes.connectHint')}</p>
      <SessionForm action={words('mailboxes.connectAt', { provider: name })} onSubmit={begin}>
        <Field label={words('mailboxes.addressToConnect')} name="address" type="email" autoComplete="off" />
        {provider === 'mail-a' && (
          <Field label={words('mailboxes.sharedAddress')} name="sharedAddress" type="email" autoComplete="off" />
        )}
        <HistoryChoice />
      </SessionForm>
      {provider === 'mail-a' && <AdministratorLink />}
    </>
  );
}

/** The link with which an administrator approves the application, where people may not consent themselves. */
function AdministratorLink() {
  const { workspace } = usePlace();
  const [link, setLink] = useState<string>();
  const ask = async () => {
    const { adminConsentUrl } = await beginConsent(workspace.id, { provider: 'mail-a' });
    if (typeof adminConsentUrl === 'string') setLink(adminConsentUrl);
  };
  return (
    <div className={styles.stack}>
      <p className={styles.hint}>{words('mailboxes.approvalHint')}</p>
      {link === undefined ? (
        <Action run={ask}>{words('mailboxes.approval')}</Action>
      ) : (
        <CopyText label={words('mailboxes.approvalLink')} text={link} />
      )}
    </div>
  );
}
