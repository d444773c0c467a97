import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, inWorkspace } from '../api/client.ts';
import { fullTime } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { Section } from './Section.tsx';
import styles from './Webhooks.module.css';
import {
  type Delivery,
  type DeliveryStatus,
  deliveriesQuery,
  deliveryStatuses,
  inWebhook,
  refreshWebhooks,
  type Webhook,
} from './webhooks.ts';

/** The deliveries of the last 30 days, with a test delivery to begin with. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { workspace } = usePlace();
  const [status, setStatus] = useState<DeliveryStatus>();
  const log = useInfiniteQuery(deliveriesQuery(workspace.id, webhook.id, status));
  const test = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/v1/workspaces/{workspaceId}/webhooks/{webhookId}/test', {
          params: inWebhook(workspace.id, webhook.id),
        }),
      ),
    onSettled: () => refreshWebhooks(workspace.id),
  });
  const fault = log.error ?? test.error;
  const deliveries = log.data?.pages.flatMap(({ items }) => items) ?? [];
  const isOn = webhook.status === 'active';
  return (
    <Section title={words('deliveries.title')} hint={words('deliveries.hint')}>
      <div className={styles.actions}>
        <Button disabled={!isOn || test.isPending} onClick={() => test.mutate()}>
          {words('webhooks.test')}
        </Button>
        <select
          aria-label={words('deliveries.filter')}
          value={status ?? ''}
          // The values are those below.
          onChange={({ target }) => setStatus((target.value || undefined) as DeliveryStatus | undefined)}
        >
          <option value="">{words('deliveries.all')}</option>
          {deliveryStatuses.map((name) => (
            <option key={name} value={name}>
              {words(`deliveries.${name}`)}
            </option>
          ))}
        </select>
      </div>
      <p role="status">{test.isSuccess && words('webhooks.tested')}</p>
      {fault !== null && <Fault error={fault} onRetry={() => void log.refetch()} />}
      {deliveries.length === 0 && log.error === null && <p>{words(log.isPending ? 'loading' : 'deliveries.none')}</p>}
      <ul className={styles.log} aria-label={words('deliveries.title')}>
        {deliveries.map((delivery) => (
          <DeliveryLine key={delivery.id} delivery={delivery} webhookId={webhook.id} isOn={isOn} />
        ))}
      </ul>
      {log.hasNextPage && (
        <Button disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {words('deliveries.older')}
        </Button>
      )}
    </Section>
  );
}

type LineProps = { delivery: Delivery; webhookId: string; isOn: boolean };

function DeliveryLine({ delivery, webhookId, isOn }: LineProps) {
  const { workspace } = usePlace();
  const { id, type, status, attempts, nextAttemptAt, responseStatus, error, createdAt } = delivery;
  const redeliver = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/v1/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', {
          params: {
            path: { workspaceId: workspace.id, webhookId, deliveryId: id },
            header: inWorkspace(workspace.id).header,
          },
        }),
      ),
    onSettled: () => refreshWebhooks(workspace.id),
  });
  const details = [
    fullTime(createdAt),
    words('deliveries.attempts', { count: attempts }),
    responseStatus !== null && words('deliveries.answered', { status: responseStatus }),
    status !== 'delivered' && error,
    status === 'pending' && nextAttemptAt !== null && words('deliveries.next', { time: fullTime(nextAttemptAt) }),
  ].filter(Boolean);
  return (
    <li>
      <span>
        <b data-status={status}>{words(`deliveries.${status}`)}</b> <code>{type}</code>
        <br />
        <small>{details.join(' · ')}</small>
      </span>
      {status !== 'pending' && (
        <Button
          aria-label={words('deliveries.againNamed', { type, time: fullTime(createdAt) })}
          disabled={!isOn || redeliver.isPending}
          onClick={() => redeliver.mutate()}
        >
          {words('deliveries.again')}
        </Button>
      )}
      {redeliver.error !== null && <Fault error={redeliver.error} />}
    </li>
  );
}
