/** Notifications of the Graph emulator: batches, retries, and judging slow endpoints. */
import { randomUUID } from 'node:crypto';
import { postTo } from './post.ts';
import {
  type ChangeKind,
  type Endpoint,
  type Item,
  keepLast,
  type Mailbox,
  type Notice,
  type Push,
  type Subscription,
  type World,
} from './world.ts';

export type LifecycleEvent = 'reauthorizationRequired' | 'subscriptionRemoved' | 'missed';

export const tenantId = '84bd8158-6d4d-4958-8b9f-9d6445542f95';
const minuteMs = 60_000;
const judgedMs = 10 * minuteMs;
const giveUpMs = 240 * minuteMs;
const underWayMax = 16;

/** Notifies the subscriptions to this change. */
export function fanOut(world: World, mailbox: Mailbox, item: Item, kind: ChangeKind): void {
  for (const subscription of mailbox.subscriptions) {
    if (subscription.folder !== undefined && subscription.folder !== item.folder) continue;
    if (!subscription.changeTypes.includes(kind)) continue;
    notify(world, { subscription, body: changeNotice(world, mailbox, subscription, item, kind) });
  }
}

function changeNotice(world: World, mailbox: Mailbox, subscription: Subscription, item: Item, changeType: ChangeKind) {
  const id = subscription.isImmutable ? item.immutableId : item.id;
  const resource = spelling(world, mailbox.userId, id);
  return {
    ...(world.random.fraction() < 0.5 && { id: randomUUID() }),
    subscriptionId: subscription.id,
    subscriptionExpirationDateTime: expiryText(world, subscription.expiresAt),
    ...clientStateOf(world, subscription),
    changeType,
    tenantId,
    resource,
    resourceData: {
      '@odata.type': world.random.fraction() < 0.5 ? '#Microsoft.Graph.Message' : '#microsoft.graph.message',
      '@odata.id': resource,
      '@odata.etag': `W/"CQAAABYAAAB${item.changeKey}"`,
      id,
    },
  };
}

function clientStateOf(world: World, { clientState }: Subscription): { clientState?: string | null } {
  if (clientState === null) return {};
  return { clientState: world.random.fraction() < world.behaviour.clientStateNullRate ? null : clientState };
}

function spelling(world: World, userId: string, id: string): string {
  const ways = [
    `Users/${userId}/Messages/${id}`,
    `users/${userId}@${tenantId}/messages/${id}`,
    `Users('${userId}')/messages('${id}')`,
  ];
  return world.random.pick(ways);
}

function expiryText(world: World, expiresAt: Date): string {
  if (world.random.fraction() < 0.75) return expiresAt.toISOString();
  // The same instant in the time zone +05:30.
  return new Date(expiresAt.getTime() + 330 * minuteMs).toISOString().replace('Z', '+05:30');
}

/** Sends a notification, with the faults of the configured rates. */
export function notify(world: World, notice: Notice): void {
  const { subscription } = notice;
  const { behaviour, random } = world;
  if (subscription.held !== null) return void subscription.held.push(notice);
  const url = subscription.notificationUrl;
  if (random.fraction() < behaviour.dropRate) {
    logPush(world, { url, notices: [notice], attempt: 0, outcome: 'dropped', status: null, latencyMs: 0 });
    if (behaviour.announcesDrops) sendLifecycle(world, [subscription], 'missed');
    return;
  }
  if (random.fraction() < behaviour.duplicateRate) enqueue(world, url, notice);
  if (random.fraction() < behaviour.delayRate)
    world.clock.after(random.fraction() * behaviour.delayMsMax, () => enqueue(world, url, notice));
  else enqueue(world, url, notice);
}

/** Sends nothing to an application without a lifecycle address. */
export function sendLifecycle(world: World, subscriptions: readonly Subscription[], event: LifecycleEvent): void {
  for (const subscription of subscriptions) {
    if (subscription.lifecycleNotificationUrl === null) continue;
    // The live service sends these members; the documentation does not name all of them.
    const body = {
      subscriptionId: subscription.id,
      subscriptionExpirationDateTime: expiryText(world, subscription.expiresAt),
      tenantId,
      organizationId: tenantId,
      ...clientStateOf(world, subscription),
      resource: '',
      resourceData: null,
      sequence: null,
      lifecycleEvent: event,
    };
    enqueue(world, subscription.lifecycleNotificationUrl, { subscription, body }, { isLifecycle: true });
  }
}

/** @param isLifecycle neither delayed nor dropped for a slow endpoint */
function enqueue(world: World, url: string, notice: Notice, { isLifecycle = false } = {}): void {
  const endpoint = endpointOf(world, url);
  const now = world.clock.now().getTime();
  if (!isLifecycle && now < endpoint.dropUntil) {
    endpoint.missing.add(notice.subscription);
    logPush(world, { url, notices: [notice], attempt: 0, outcome: 'dropped', status: null, latencyMs: 0 });
  } else if (!isLifecycle && now < endpoint.slowUntil) {
    world.clock.after(judgedMs, () => queue(world, endpoint, notice));
  } else queue(world, endpoint, notice);
}

function endpointOf(world: World, url: string): Endpoint {
  const known = world.endpoints.get(url);
  if (known !== undefined) return known;
  const empty = { pending: [], isScheduled: false, underWay: 0, slowUntil: 0, dropUntil: 0 };
  const endpoint: Endpoint = { url, ...empty, answers: new Map(), missing: new Set() };
  world.endpoints.set(url, endpoint);
  return endpoint;
}

function queue(world: World, endpoint: Endpoint, notice: Notice): void {
  const { pending } = endpoint;
  if (pending.length > 0 && world.random.fraction() < world.behaviour.reorderRate)
    pending.splice(world.random.below(pending.length), 0, notice);
  else pending.push(notice);
  if (endpoint.isScheduled) return;
  endpoint.isScheduled = true;
  world.clock.after(world.behaviour.pushDelayMs, () => flush(world, endpoint));
}

async function flush(world: World, endpoint: Endpoint): Promise<void> {
  endpoint.isScheduled = false;
  const lines: Promise<void>[] = [];
  while (endpoint.pending.length > 0 && endpoint.underWay < underWayMax) lines.push(work(world, endpoint));
  await Promise.all(lines);
}

/** Sends batch after batch over one connection until none is left. */
async function work(world: World, endpoint: Endpoint): Promise<void> {
  endpoint.underWay++;
  while (endpoint.pending.length > 0) {
    const size = 1 + world.random.below(world.behaviour.batchMax);
    const notices = endpoint.pending.splice(0, size);
    await push(world, endpoint, { notices, attempt: 1, since: world.clock.now().getTime() });
  }
  endpoint.underWay--;
}

type Batch = { notices: Notice[]; attempt: number; since: number };

async function push(world: World, endpoint: Endpoint, batch: Batch): Promise<void> {
  // Of an ended subscription, sends lifecycle events only.
  const notices = batch.notices.filter(
    ({ subscription, body }) => subscription.end === null || 'lifecycleEvent' in body,
  );
  if (notices.length === 0) return;
  const { pushTimeoutMs, retryTimeoutMs, retryBaseMs } = world.behaviour;
  const timeoutMs = batch.attempt === 1 ? pushTimeoutMs : retryTimeoutMs;
  const { url } = endpoint;
  const { status, outcome, latencyMs } = await postTo(world.agent, url, {
    type: 'application/json; charset=utf-8',
    body: JSON.stringify({ value: notices.map(({ body }) => body), validationTokens: null }),
    timeoutMs,
  });
  const { attempt } = batch;
  logPush(world, { url, notices, attempt, outcome, status, latencyMs });
  judge(world, endpoint, outcome === 'timed out' ? timeoutMs : latencyMs);
  if (outcome === 'taken') return;
  const waitMs = Math.min(retryBaseMs * 2 ** (attempt - 1), judgedMs);
  if (world.clock.now().getTime() + waitMs - batch.since <= giveUpMs) {
    world.clock.after(waitMs, () => push(world, endpoint, { ...batch, notices, attempt: attempt + 1 }));
    return;
  }
  logPush(world, { url, notices, attempt, outcome: 'given up', status, latencyMs });
  const told = notices.filter(({ body }) => !('lifecycleEvent' in body)).map(({ subscription }) => subscription);
  sendLifecycle(world, [...new Set(told)], 'missed');
}

/**
 * Judges the answers of the last ten minutes. An endpoint is slow if over 10 % took longer than the first attempt's
 * timeout. Notifications are dropped if over 15 % took longer than a retry's timeout.
 */
function judge(world: World, endpoint: Endpoint, latencyMs: number): void {
  const now = world.clock.now().getTime();
  const slot = Math.floor(now / 10_000);
  const { answers } = endpoint;
  const counts = answers.get(slot) ?? { all: 0, slow: 0, verySlow: 0 };
  answers.set(slot, counts);
  counts.all++;
  if (latencyMs >= world.behaviour.pushTimeoutMs) counts.slow++;
  if (latencyMs >= world.behaviour.retryTimeoutMs) counts.verySlow++;
  for (const old of answers.keys()) if (old < slot - judgedMs / 10_000) answers.delete(old);
  if (counts.slow === 0) return;
  const sum = (key: 'all' | 'slow' | 'verySlow') => [...answers.values()].reduce((total, each) => total + each[key], 0);
  if (sum('all') < world.behaviour.judgedFrom) return;
  if (sum('verySlow') > sum('all') * 0.15 && now >= endpoint.dropUntil) {
    endpoint.dropUntil = now + judgedMs;
    world.clock.after(judgedMs, () => {
      const missing = [...endpoint.missing];
      endpoint.missing.clear();
      sendLifecycle(world, missing, 'missed');
    });
  } else if (sum('slow') > sum('all') * 0.1) endpoint.slowUntil = now + judgedMs;
}

type PushLine = Pick<Push, 'url' | 'attempt' | 'outcome' | 'status' | 'latencyMs'> & { notices: Notice[] };

function logPush(world: World, { notices, ...line }: PushLine): void {
  const subscriptionIds = [...new Set(notices.map(({ subscription }) => subscription.id))];
  const kind = 'notifications' as const;
  keepLast(world.pushes, { at: world.clock.now(), kind, count: notices.length, subscriptionIds, ...line });
}
