import { ECDH } from 'node:crypto';
import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Principal } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import type { Server } from '../../../ground/http/http.ts';
import { forSignedIn } from '../../../ground/http/operation.ts';
import { AppError, invalidRequest } from '../../../ground/lib/errors.ts';
import { keepDefaults } from '../preferences.ts';
import { endpointCharsMax, keepPushSubscriptionBody, pushSubscriptionSchema } from './schema.ts';
import { dropPushSubscriptionOf, keepPushSubscription, type PushTarget, readOwnEndpoint } from './subscriptions.ts';

const signedIn = forSignedIn('notifications');
const path = '/v1/me/push-subscription';

export function pushRoutes(server: Server, { db, push, config }: App): void {
  signedIn.get(server, path, {
    id: 'readPushSubscription',
    summary: 'Read the push subscription of this session',
    answers: { 200: pushSubscriptionSchema },
    handler: async ({ principal }) => ({
      publicKey: await push.publicKey(),
      endpoint: await readOwnEndpoint(db, principal),
    }),
  });

  signedIn.put(server, path, {
    id: 'keepPushSubscription',
    summary: 'Get notifications in this browser while no page is open',
    description: 'Takes the place of what this session had. It ends with the session.',
    errors: ['push.off'],
    body: keepPushSubscriptionBody,
    answers: { 204: Type.Null() },
    handler: async ({ principal, body: { endpoint, keys } }) => {
      if ((await push.publicKey()) === null) throw new AppError('push.off');
      const target = {
        endpoint: addressOf(endpoint, config.pushAllowedNetworks.length > 0),
        ...{ p256dh: keys.p256dh.replace('=', ''), auth: keys.auth.replaceAll('=', '') },
      };
      refuseNoPoint(target.p256dh);
      await db.tx((tx) => subscribe(tx, principal, target));
    },
  });

  signedIn.delete(server, path, {
    id: 'dropPushSubscription',
    summary: 'Get no notifications in this browser any more',
    answers: { 204: Type.Null() },
    handler: ({ principal }) => db.tx((tx) => dropPushSubscriptionOf(tx, principal.sessionId)),
  });
}

/**
 * The address as it is asked for, which is ASCII. Whether it may be reached is asked with each request, because names
 * resolve anew.
 */
function addressOf(endpoint: string, mayBePlain: boolean): string {
  const url = URL.parse(endpoint);
  const isWeb = url?.protocol === 'https:' || (mayBePlain && url?.protocol === 'http:');
  if (url === null || !isWeb || url.username !== '' || url.password !== '')
    throw invalidRequest({ path: 'body.endpoint', key: 'not_a_url' });
  if (url.href.length > endpointCharsMax)
    throw invalidRequest({ path: 'body.endpoint', key: 'too_long', params: { limit: endpointCharsMax } });
  return url.href;
}

function refuseNoPoint(p256dh: string): void {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url');
  } catch {
    throw invalidRequest({ path: 'body.keys.p256dh', key: 'not_valid' });
  }
}

async function subscribe(tx: Tx, principal: Principal, target: PushTarget): Promise<void> {
  const { userId } = principal;
  await keepDefaults(tx, userId);
  // Comes first, and makes whoever notes that there is no subscription wait for this one.
  await tx.run(sql`update notification_preferences set is_pushed = true where user_id = ${userId}`);
  await keepPushSubscription(tx, principal, target);
}
