import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inWorkspace } from '../../api/client.ts';
import { itemsOf } from '../../api/items.ts';
import { fullTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Action } from '../../ui/Action.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import styles from './Webhooks.module.css';
import {
  type Delivery,
  type DeliveryStatus,
  deliveriesQuery,
  deliveryStatuses,
  refreshWebhooks,
  type Webhook,
} from './webhooks.ts';

/** The deliveries of the last 30 days, with a test delivery to begin with. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { workspace } = usePlace();
  const [status, setStatus] = useState<DeliveryStatus | ''>('');
  const [isTested, setIsTested] = useState(false);
  const log = useInfiniteQuery({ ...deliveriesQuery(workspace.id, webhook.id, status || undefined), select: itemsOf });
  const isOn = webhook.status === 'active';
  const test = async () => {
    await inWorkspace(workspace.id)
      .POST('/webhooks/{webhookId}/test', { path: { webhookId: webhook.id } })
      .finally(() => void refreshWebhooks(workspace.id));
    setIsTested(true);
  };
  return (
    <Section title={words('deliveries.title')} hint={words('deliveries.hint')}>
      <div className={styles.actions}>
        <Action disabled={!isOn} run={test}>
          {words('webhooks.test')}
        </Action>
        <Choice
          aria-label={words('deliveries.filter')}
          value={status}
          options={[
            ['', words('deliveries.all')],
            ...deliveryStatuses.map((name) => [name, words(`deliveries.${name}`)] as const),
          ]}
          onChoose={setStatus}
        />
      </div>
      <p role="status">{isTested && words('webhooks.tested')}</p>
      <PagedList
        label={words('deliveries.title')}
        source={log}
        none={words('deliveries.none')}
        more={words('deliveries.older')}
      >
        {(delivery) => <DeliveryLine key={delivery.id} delivery={delivery} webhookId={webhook.id} isOn={isOn} />}
      </PagedList>
    </Section>
  );
}

type LineProps = { delivery: Delivery; webhookId: string; isOn: boolean };

function DeliveryLine({ delivery, webhookId, isOn }: LineProps) {
  const { workspace } = usePlace();
  const { id, type, status, attempts, nextAttemptAt, responseStatus, error, createdAt } = delivery;
  const redeliver = () => {
    const path = { webhookId, deliveryId: id };
    return inWorkspace(workspace.id)
      .POST('/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', { path })
      .finally(() => void refreshWebhooks(workspace.id));
  };
  const details = [
    fullTime(createdAt),
    words('deliveries.attempts', { count: attempts }),
    responseStatus !== null && words('deliveries.answered', { status: responseStatus }),
    status !== 'delivered' && error,
    status === 'pending' && nextAttemptAt !== null && words('deliveries.next', { time: fullTime(nextAttemptAt) }),
  ].filter(Boolean);
  return (
    <li className={styles.log}>
      <span>
        <b data-status={status}>{words(`deliveries.${status}`)}</b> <code>{type}</code>
        <br />
        <small>{details.join(' · ')}</small>
      </span>
      {status !== 'pending' && (
        <Action
          aria-label={words('deliveries.againNamed', { type, time: fullTime(createdAt) })}
          disabled={!isOn}
          run={redeliver}
        >
          {words('deliveries.again')}
        </Action>
      )}
    </li>
  );
}
