/** Subscribes to new mail in a folder. */
import type { Clock } from '../../ground/lib/clock.ts';
import type { Watch } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { faultOf, senseless } from './graph-faults.ts';
import { readPage } from './graph-pages.ts';
import type { GraphRequests } from './graph-requests.ts';
import { asObject, jsonOf, type ProviderAnswer } from './provider-request.ts';
import type { WatchTarget } from './registry.ts';

/** The live service accepts at most 10,070 minutes, less than its documentation says. */
const lifeMs = 10_000 * 60_000;
/** Before Graph answers, it calls the addresses for notifications and for lifecycle events, with 10 s for each. */
const subscribeTimeoutMs = 60_000;
const listPagesMax = 20;

/** Covers mail that arrives or is moved here. We need no notification of read or flagged mail. */
const changeType = 'created';

function resourceOf(key: string): string {
  return `me/mailFolders('${key}')/messages`;
}

/** Graph allows only one such subscription for a folder, so this removes a leftover subscription. */
export async function watch(
  requests: GraphRequests,
  clock: Clock,
  { key, target }: { key: string; target: WatchTarget },
): Promise<Watch> {
  const subscription = {
    changeType,
    resource: resourceOf(key),
    notificationUrl: target.notificationUrl,
    // Graph cannot add this later. Lifecycle events have the clientState too, so they need no separate address.
    lifecycleNotificationUrl: target.notificationUrl,
    ...(target.clientState !== undefined && { clientState: target.clientState }),
    expirationDateTime: endOf(clock),
  };
  let answer = await subscribe(requests, subscription);
  if (answer.status === 409) {
    await removeEarlier(requests, subscription.resource);
    answer = await subscribe(requests, subscription);
  }
  if (answer.status === 400 && isUnreachable(answer))
    // The settings may still be right, because the service may just be starting.
    throw new ProviderFault(
      'unavailable',
      'endpoint_unreachable',
      'Microsoft 365 could not reach the address for its notifications: PUBLIC_URL must lead here from the internet.',
    );
  if (answer.status !== 201) throw faultOf(answer, false);
  return watchIn(answer, key);
}

function subscribe(requests: GraphRequests, subscription: object): Promise<ProviderAnswer> {
  return requests.ask('/subscriptions', {
    method: 'POST',
    json: subscription,
    takes: [400, 409],
    timeoutMs: subscribeTimeoutMs,
  });
}

function endOf(clock: Clock): string {
  return new Date(clock.now().getTime() + lifeMs).toISOString();
}

/** Checks the message, because the codes `InvalidRequest` and `ValidationError` are too general. */
function isUnreachable(answer: ProviderAnswer): boolean {
  const { message } = asObject(jsonOf(answer)?.error) ?? {};
  return typeof message === 'string' && /^subscription validation request failed/i.test(message);
}

/** With a person's token, Graph lists only the subscriptions of our application for that person. */
async function removeEarlier(requests: GraphRequests, resource: string): Promise<void> {
  let target: string | undefined = '/subscriptions';
  for (let pages = 0; target !== undefined && pages < listPagesMax; pages++) {
    const { items, nextLink } = await readPage(requests, target);
    for (const { id, resource: its } of items)
      if (typeof id === 'string' && isSame(String(its), resource)) await removeSubscription(requests, id);
    target = nextLink;
  }
}

function isSame(listed: string, resource: string): boolean {
  return listed.replace(/^\//, '').toLowerCase() === resource.toLowerCase();
}

/**
 * Renews a subscription. This also reauthorises it, so that Graph releases the notifications that it held back.
 * Throws kind `not-found` for no subscription, or a subscription with another address, because Graph cannot change
 * that.
 */
export async function renewWatch(
  requests: GraphRequests,
  clock: Clock,
  { watch: { key, subscriptionId }, target }: { watch: Watch; target: WatchTarget },
): Promise<Watch> {
  if (subscriptionId === null) throw lapsed();
  const answer = await requests.ask(pathOf(subscriptionId), {
    method: 'PATCH',
    json: { expirationDateTime: endOf(clock) },
  });
  const told = jsonOf(answer)?.notificationUrl;
  if (typeof told === 'string' && URL.parse(told)?.href !== URL.parse(target.notificationUrl)?.href) {
    await removeSubscription(requests, subscriptionId);
    throw lapsed();
  }
  return watchIn(answer, key);
}

function lapsed(): ProviderFault {
  return new ProviderFault('not-found', 'no_subscription', 'Microsoft 365 does not watch this folder for us.');
}

export async function stopWatch(requests: GraphRequests, { subscriptionId }: Watch): Promise<void> {
  if (subscriptionId !== null) await removeSubscription(requests, subscriptionId);
}

async function removeSubscription(requests: GraphRequests, id: string): Promise<void> {
  await requests.ask(pathOf(id), { method: 'DELETE', takes: [404] });
}

function pathOf(id: string): string {
  return `/subscriptions/${encodeURIComponent(id)}`;
}

/** Takes the expiry from the answer, because Graph extends a lifetime that is too short. */
function watchIn(answer: ProviderAnswer, key: string): Watch {
  const { id, expirationDateTime } = jsonOf(answer) ?? {};
  const expiresAt = new Date(String(expirationDateTime));
  if (typeof id !== 'string' || Number.isNaN(expiresAt.getTime())) throw senseless('no_subscription');
  return { key, subscriptionId: id, expiresAt };
}
