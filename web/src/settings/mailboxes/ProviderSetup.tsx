import type { PublicConfig } from '../../session/queries.ts';
import { words } from '../../words/words.ts';
import { CopyText } from '../CopyText.tsx';
import styles from './mailboxes.module.css';

type Provider = PublicConfig['mailboxProviders'][number];

/** The settings of the service, as the operator writes them. They are the same in every language. */
const settings = {
  'mail-a': ['MAIL_A_CLIENT_ID=', 'MAIL_A_CLIENT_SECRET=', 'MAIL_A_WEBHOOK_SECRET='],
  'mail-b': ['MAIL_B_CLIENT_ID=', 'MAIL_B_CLIENT_SECRET=', 'MAIL_B_TOPIC=', 'MAIL_B_PUSH_SERVICE_ACCOUNT='],
} as const;

/** The values that the operator registers at the provider and sets here before anybody can connect a mailbox. */
export function ProviderSetup({ provider: { provider, redirectUri, notificationUrl } }: { provider: Provider }) {
  return (
    <div className={styles.stack}>
      <p>{words(`mailboxes.setup.${provider}`)}</p>
      <CopyText label={words('mailboxes.redirectUri')} text={redirectUri} />
      {provider === 'mail-b' && <CopyText label={words('mailboxes.pushEndpoint')} text={notificationUrl} />}
      <CopyText label={words('mailboxes.settingsToSet')} text={settings[provider].join('\n')} />
      <p className={styles.hint}>{words('mailboxes.setupMore')}</p>
    </div>
  );
}
