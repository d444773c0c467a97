import { Type } from 'typebox';
import { eventTypes } from '../../ground/catalog/events.ts';
import { ids, nullable, oneOf, timestamp, trimmedText, uuid } from '../../ground/http/schema.ts';

/** Sent only on request, and regardless of the events that a webhook selects. */
export const testEvent = 'webhook.test';

/** Sent where a rule says so, and regardless of the events that a webhook selects. */
export const ruleEvent = 'rule.matched';

const urlLengthMax = 2_000;
const url = trimmedText(1, urlLengthMax);
const description = trimmedText(0, 500);
const events = Type.Array(oneOf(eventTypes), { maxItems: 100, description: 'Empty: all events.' });
const status = oneOf(['active', 'disabled']);

export const webhookSchema = Type.Object({
  id: uuid,
  url: Type.String(),
  events: Type.Array(Type.String(), { description: 'Empty: all events.' }),
  description: nullable(Type.String()),
  status,
  disabledReason: nullable(Type.String({ description: 'Set when the service disabled the webhook.' })),
  failingSince: nullable({
    ...timestamp,
    description: 'Time of the first failure since the last successful delivery.',
  }),
  previousSecretUntil: nullable({ ...timestamp, description: 'Until then the previous secret signs as well.' }),
  createdBy: ids.user,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type WebhookView = Type.Static<typeof webhookSchema>;

const secret = Type.String({ description: 'Shown only in this response. The receiver checks signatures with it.' });

export const createdWebhookSchema = Type.Object({ ...webhookSchema.properties, secret });
export type CreatedWebhook = Type.Static<typeof createdWebhookSchema>;

export const webhookParams = Type.Object({ workspaceId: ids.workspace, webhookId: uuid });

export const createWebhookBody = Type.Object({
  url: { ...url, description: 'Must begin with https://.' },
  events: Type.Optional(events),
  description: Type.Optional(description),
});
export type CreateWebhook = Type.Static<typeof createWebhookBody>;

export const updateWebhookBody = Type.Object({
  url: Type.Optional(url),
  events: Type.Optional(events),
  description: Type.Optional(nullable(description)),
  status: Type.Optional(status),
});
export type UpdateWebhook = Type.Static<typeof updateWebhookBody>;

const deliveryStatus = oneOf(['pending', 'delivered', 'failed']);

export const deliverySchema = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The receiver gets it as `webhook-id`.' }),
  type: Type.String(),
  eventId: nullable(uuid),
  status: deliveryStatus,
  attempts: Type.Integer(),
  nextAttemptAt: nullable(timestamp),
  responseStatus: nullable(Type.Integer()),
  error: nullable(Type.String({ description: 'The last failure.' })),
  createdAt: timestamp,
  settledAt: nullable(timestamp),
});
export type DeliveryView = Type.Static<typeof deliverySchema>;

export const deliveryParams = Type.Object({ ...webhookParams.properties, deliveryId: uuid });

export const listDeliveriesQuery = Type.Object({
  status: Type.Optional(deliveryStatus),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});

export const deliveriesPage = Type.Object({
  items: Type.Array(deliverySchema),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
});
