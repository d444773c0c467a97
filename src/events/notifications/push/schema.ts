import { Type } from 'typebox';
import { nullable } from '../../../ground/http/schema.ts';

/** An index takes no more than 2,704 bytes. */
export const endpointCharsMax = 2_000;

const endpoint = Type.String({
  maxLength: endpointCharsMax,
  description: 'The address that the push service gave to the browser.',
});

export const pushSubscriptionSchema = Type.Object({
  publicKey: nullable(
    Type.String({ description: 'The `applicationServerKey` to subscribe with; null: push is switched off.' }),
  ),
  endpoint: nullable(endpoint),
});

export const keepPushSubscriptionBody = Type.Object({
  endpoint,
  keys: Type.Object(
    {
      p256dh: Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_-]{87}=?$' }),
      auth: Type.String({ maxLength: 30, pattern: '^[A-Za-z0-9_-]{22}(==)?$' }),
    },
    { description: 'As `PushSubscription.toJSON()` has them (RFC 8291).' },
  ),
});
