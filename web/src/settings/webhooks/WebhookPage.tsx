import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inWorkspace } from '../../api/client.ts';
import { fullTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Action } from '../../ui/Action.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { words } from '../../words/words.ts';
import { SecretOnce } from '../SecretOnce.tsx';
import { Section } from '../Section.tsx';
import { Deliveries } from './Deliveries.tsx';
import { type WebhookFields, WebhookForm } from './WebhookForm.tsx';
import styles from './Webhooks.module.css';
import { refreshWebhooks, type Webhook, webhookQuery } from './webhooks.ts';

type Props = { webhookId: string; onDeleted: () => void };

/** The page of a webhook: its state, its address and events, its secret, and its log. */
export function WebhookPage({ webhookId, onDeleted }: Props) {
  const { workspace } = usePlace();
  const { data: webhook, error, refetch } = useQuery(webhookQuery(workspace.id, webhookId));
  if (webhook === undefined)
    return error === null ? <p>{words('loading')}</p> : <Fault error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <StateSection webhook={webhook} />
      <Deliveries webhook={webhook} />
      <ChangeSection webhook={webhook} />
      <SecretSection webhook={webhook} />
      <DeleteSection webhook={webhook} onDeleted={onDeleted} />
    </>
  );
}

function useWebhookChange() {
  const { workspace } = usePlace();
  return (webhookId: string, body: Partial<WebhookFields> & { status?: Webhook['status'] }) =>
    inWorkspace(workspace.id).PATCH('/webhooks/{webhookId}', { path: { webhookId }, body });
}

/** A disabled webhook says why. An active one says since when nothing arrives. */
function StateSection({ webhook }: { webhook: Webhook }) {
  const { workspace } = usePlace();
  const change = useWebhookChange();
  const turn = (to: Webhook['status']) =>
    change(webhook.id, { status: to }).finally(() => void refreshWebhooks(workspace.id));
  const { status, disabledReason, failingSince } = webhook;
  return (
    <Section title={webhook.description || words('webhooks.one')}>
      <p className={styles.address}>{webhook.url}</p>
      {status === 'disabled' && (
        <Notice tone="bad" action={<Action run={() => turn('active')}>{words('webhooks.enable')}</Action>}>
          <p>
            <b>{words('webhooks.isDisabled')}</b> {disabledReason ?? words('webhooks.byPerson')}
          </p>
          <p>{words('webhooks.missed')}</p>
        </Notice>
      )}
      {status === 'active' && failingSince !== null && (
        <p className={styles.off}>{words('webhooks.failingSince', { time: fullTime(failingSince) })}</p>
      )}
      {status === 'active' && (
        <Action sure={words('webhooks.disableSure')} run={() => turn('disabled')}>
          {words('webhooks.disable')}
        </Action>
      )}
    </Section>
  );
}

function ChangeSection({ webhook }: { webhook: Webhook }) {
  const { workspace } = usePlace();
  const change = useWebhookChange();
  const [isSaved, setIsSaved] = useState(false);
  const save = async (fields: WebhookFields) => {
    await change(webhook.id, fields);
    setIsSaved(true);
    await refreshWebhooks(workspace.id);
  };
  return (
    <Section title={words('webhooks.change')}>
      <WebhookForm webhook={webhook} action={words('webhooks.save')} onSubmit={save} />
      <p role="status">{isSaved && words('webhooks.saved')}</p>
    </Section>
  );
}

function SecretSection({ webhook: { id, previousSecretUntil } }: { webhook: Webhook }) {
  const { workspace } = usePlace();
  const [secret, setSecret] = useState<string>();
  const rotate = async () => {
    const path = { webhookId: id };
    setSecret((await inWorkspace(workspace.id).POST('/webhooks/{webhookId}/rotate-secret', { path })).secret);
    await refreshWebhooks(workspace.id);
  };
  const isRotating = previousSecretUntil !== null && Date.parse(previousSecretUntil) > Date.now();
  return (
    <Section title={words('webhooks.secret')} hint={words('webhooks.secretHint')}>
      {isRotating && <p>{words('webhooks.bothSign', { time: fullTime(previousSecretUntil) })}</p>}
      {secret === undefined ? (
        <Action sure={words(isRotating ? 'webhooks.rotateTwice' : 'webhooks.rotateSure')} run={rotate}>
          {words('webhooks.rotate')}
        </Action>
      ) : (
        <SecretOnce
          title={words('webhooks.rotated')}
          label={words('webhooks.secret')}
          secret={secret}
          onDone={() => setSecret(undefined)}
        />
      )}
    </Section>
  );
}

function DeleteSection({ webhook, onDeleted }: { webhook: Webhook; onDeleted: () => void }) {
  const { workspace } = usePlace();
  const remove = async () => {
    await inWorkspace(workspace.id).DELETE('/webhooks/{webhookId}', { path: { webhookId: webhook.id } });
    onDeleted();
    await refreshWebhooks(workspace.id);
  };
  return (
    <Section title={words('webhooks.delete')} hint={words('webhooks.deleteHint')}>
      <Action look="danger" sure={words('webhooks.deleteSure', { url: webhook.url })} run={remove}>
        {words('webhooks.delete')}
      </Action>
    </Section>
  );
}
