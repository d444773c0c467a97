import { Type } from 'typebox';

export const bodyBytesMax = 4 * 1024 * 1024;

/** Exempt from rate limits: a throttled provider delays or drops the notifications of every mailbox. */
export const webhookErrors = ['webhook.unverified'] as const;

export const validationQuery = Type.Object({
  validationToken: Type.Optional(
    Type.String({ maxLength: 4_096, description: 'Returned unchanged, whatever else the request holds.' }),
  ),
});

export const tokenAnswer = {
  description: 'The decoded token.',
  content: { 'text/plain': { schema: Type.String() } },
};

/** The body is empty. */
export const queuedAnswer = Type.Unsafe<undefined>({ type: 'null', description: 'The work is queued.' });

// The schema only requires an object, because the handler deals with missing fields of a provider's body.

export const graphBody = Type.Unsafe<object>({
  type: 'object',
  examples: [
    {
      value: [
        {
          subscriptionId: '7f105c7d-2dc5-4530-97cd-4e7ae6534c07',
          clientState: 'secret',
          changeType: 'created',
          resource: 'Users/1/Messages/2',
        },
        {
          subscriptionId: '7f105c7d-2dc5-4530-97cd-4e7ae6534c07',
          clientState: 'secret',
          lifecycleEvent: 'reauthorizationRequired',
        },
      ],
    },
  ],
});

export const gmailBody = Type.Unsafe<object>({
  type: 'object',
  required: ['message'],
  examples: [
    {
      message: {
        data: 'eyJlbWFpbEFkZHJlc3MiOiJhQGIuYyIsImhpc3RvcnlJZCI6IjQyIn0=',
        messageId: '2070443601311540',
        publishTime: '2026-11-20T10:00:00.123Z',
      },
      subscription: 'projects/p/subscriptions/s',
    },
  ],
});
