import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import { byCursor } from '../../api/pages.ts';
import type { components, operations } from '../../api/schema.d.ts';

export type Webhook = components['schemas']['Webhook'];
export type Delivery = components['schemas']['WebhookDelivery'];
type Body = operations['createWebhook']['requestBody']['content']['application/json'];
export type WebhookEvent = NonNullable<Body['events']>[number];

/** Every event that a webhook can send. tsc fails if an event is missing here or in the words. */
const events: Record<WebhookEvent, true> = {
  'ticket.created': true,
  'ticket.status_changed': true,
  'ticket.assigned': true,
  'ticket.priority_changed': true,
  'ticket.mailbox_changed': true,
  'ticket.team_changed': true,
  'ticket.tagged': true,
  'ticket.subject_changed': true,
  'ticket.requester_changed': true,
  'ticket.snoozed': true,
  'ticket.woken': true,
  'ticket.archived': true,
  'ticket.unarchived': true,
  'ticket.spam_changed': true,
  'ticket.trashed': true,
  'ticket.restored': true,
  'ticket.continued_from': true,
  'ticket.merged': true,
  'ticket.merged_from': true,
  'ticket.unmerged': true,
  'ticket.unmerged_from': true,
  'ticket.split': true,
  'ticket.split_from': true,
  'message.added': true,
  'message.delivery_changed': true,
  'message.delivery_handled': true,
  'message.redacted': true,
  'survey.answered': true,
  'ticket.notified': true,
  'mailbox.status_changed': true,
  'mailbox.reminded': true,
  'mailbox.automatic_mail_paused': true,
  'rule.paused': true,
  'team.joined': true,
};
export const webhookEvents = Object.keys(events) as WebhookEvent[];

const webhooksKey = (workspaceId: string) => ['workspace', workspaceId, 'webhooks'] as const;

export function webhooksQuery(workspaceId: string) {
  return queryOptions({
    queryKey: webhooksKey(workspaceId),
    queryFn: () => inWorkspace(workspaceId).GET('/webhooks'),
  });
}

export function webhookQuery(workspaceId: string, webhookId: string) {
  return queryOptions({
    queryKey: [...webhooksKey(workspaceId), webhookId],
    queryFn: () => inWorkspace(workspaceId).GET('/webhooks/{webhookId}', { path: { webhookId } }),
  });
}

/** The list, each webhook and its log. */
export function refreshWebhooks(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: webhooksKey(workspaceId) });
}

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const satisfies readonly Delivery['status'][];
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const pollMs = 2_000;
const soonMs = 60_000;

/** The log of a webhook, newest first. Follows deliveries that are on their way; retries hours ahead can wait. */
export function deliveriesQuery(workspaceId: string, webhookId: string, status: DeliveryStatus | undefined) {
  return infiniteQueryOptions({
    queryKey: [...webhooksKey(workspaceId), webhookId, 'deliveries', status ?? 'all'],
    ...byCursor,
    queryFn: ({ pageParam: cursor }) =>
      inWorkspace(workspaceId).GET('/webhooks/{webhookId}/deliveries', {
        path: { webhookId },
        query: { ...(status === undefined ? {} : { status }), ...(cursor === undefined ? {} : { cursor }) },
      }),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(isSoon)) === true ? pollMs : false,
  });
}

function isSoon({ status, nextAttemptAt }: Delivery): boolean {
  return status === 'pending' && (nextAttemptAt === null || Date.parse(nextAttemptAt) < Date.now() + soonMs);
}
