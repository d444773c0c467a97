/** Subscriptions of the Graph emulator, from handshake to end. */
import { randomUUID } from 'node:crypto';
import { type Answer, type Call, GraphError, jsonOf } from './http.ts';
import { folderOf } from './mailbox.ts';
import { postTo } from './post.ts';
import { notify, sendLifecycle, tenantId } from './push.ts';
import { type ChangeKind, keepLast, type Mailbox, type Subscription, type World } from './world.ts';

const minuteMs = 60_000;
const clientStateMax = 128;
const perMailboxMax = 1_000;
const shortestMs = 45 * minuteMs;
/** The least time between a renewal and a reauthorization. */
const tenMinutesMs = 10 * minuteMs;
const heldMs = 240 * minuteMs;

export async function subscribe(call: Call): Promise<Answer> {
  const { world } = call;
  const wish = jsonOf(call.body);
  const { mailbox, folder } = watched(call, text(wish, 'resource'));
  const resource = text(wish, 'resource');
  const changeTypes = changeTypesOf(text(wish, 'changeType'));
  const notificationUrl = address(wish, 'notificationUrl');
  const lifecycleNotificationUrl =
    wish.lifecycleNotificationUrl == null ? null : address(wish, 'lifecycleNotificationUrl');
  const clientState = wish.clientState == null ? null : text(wish, 'clientState');
  if ((clientState?.length ?? 0) > clientStateMax)
    throw new GraphError(400, 'InvalidRequest', `clientState is limited to ${clientStateMax} characters.`);
  const expiresAt = expiryOf(world, text(wish, 'expirationDateTime'));
  expireSubscriptions(world);
  const twin = [...mailbox.subscriptions].find(
    (other) => other.folder === folder && other.changeTypes.join() === changeTypes.join(),
  );
  if (twin !== undefined && !world.behaviour.takesTwins)
    throw new GraphError(409, 'Conflict', `Subscription Id <${twin.id}> already exists for the requested combination`);
  if (mailbox.subscriptions.size >= perMailboxMax)
    throw new GraphError(403, 'Forbidden', 'Subscription limit for the mailbox has been reached.');
  await prove(world, notificationUrl);
  if (lifecycleNotificationUrl !== null) await prove(world, lifecycleNotificationUrl);
  const subscription: Subscription = {
    id: randomUUID(),
    address: mailbox.address,
    folder,
    resource,
    changeTypes,
    notificationUrl,
    lifecycleNotificationUrl,
    clientState,
    expiresAt,
    isImmutable: call.isImmutable,
    createdAt: world.clock.now(),
    end: null,
    held: null,
    renewals: [],
    forgetLead: () => {},
  };
  world.subscriptions.set(subscription.id, subscription);
  mailbox.subscriptions.add(subscription);
  scheduleLead(world, subscription);
  return { status: 201, body: shown(world, subscription) };
}

export function listSubscriptions(call: Call): Answer {
  const { world, mailbox, isApplication } = call;
  expireSubscriptions(world);
  if (world.behaviour.takesTwins) return { status: 200, body: { value: [] } };
  const all = isApplication ? [...world.subscriptions.values()] : [...mailbox.subscriptions];
  return { status: 200, body: { value: all.map((subscription) => shown(world, subscription)) } };
}

export function showSubscription(call: Call): Answer {
  return { status: 200, body: shown(call.world, found(call)) };
}

export function renewSubscription(call: Call): Answer {
  const subscription = found(call);
  const { world } = call;
  const wish = jsonOf(call.body);
  if (wish.lifecycleNotificationUrl !== undefined)
    throw new GraphError(400, 'InvalidRequest', 'lifecycleNotificationUrl can only be set when it is created.');
  if (wish.notificationUrl !== undefined) subscription.notificationUrl = address(wish, 'notificationUrl');
  subscription.expiresAt = expiryOf(world, text(wish, 'expirationDateTime'));
  scheduleLead(world, subscription);
  authorizeAgain(world, subscription, 'PATCH');
  return { status: 200, body: shown(world, subscription) };
}

export function reauthorizeSubscription(call: Call): Answer {
  authorizeAgain(call.world, found(call), 'reauthorize');
  return { status: 204 };
}

export function deleteSubscription(call: Call): Answer {
  endSubscription(call.world, found(call), 'deleted');
  return { status: 204 };
}

export function endSubscription(
  world: World,
  subscription: Subscription,
  how: 'deleted' | 'expired' | 'removed',
): void {
  subscription.end = how;
  subscription.forgetLead();
  world.subscriptions.delete(subscription.id);
  world.mailboxes.get(subscription.address.toLowerCase())?.subscriptions.delete(subscription);
  world.ended.push(subscription);
}

/** Ends subscriptions by the clock, silently. */
export function expireSubscriptions(world: World): void {
  const now = world.clock.now();
  for (const subscription of world.subscriptions.values())
    if (subscription.expiresAt <= now) endSubscription(world, subscription, 'expired');
}

/** Holds notifications until reauthorization. Notifications that wait over four hours are lost. */
export function requireReauthorization(world: World, subscription: Subscription): void {
  subscription.held ??= [];
  const held = subscription.held;
  sendLifecycle(world, [subscription], 'reauthorizationRequired');
  world.clock.after(heldMs, () => held.splice(0));
}

/** Drops a subscription as Graph does, and sends the lifecycle event. */
export function removeSubscription(world: World, subscription: Subscription): void {
  sendLifecycle(world, [subscription], 'subscriptionRemoved');
  endSubscription(world, subscription, 'removed');
}

function authorizeAgain(world: World, subscription: Subscription, by: 'PATCH' | 'reauthorize'): void {
  const at = world.clock.now();
  const rival = subscription.renewals.find(
    (earlier) => earlier.by !== by && at.getTime() - earlier.at.getTime() < tenMinutesMs,
  );
  if (rival !== undefined)
    keepLast(world.misuses, `PATCH and reauthorize of the subscription ${subscription.id} within ten minutes`);
  subscription.renewals.push({ at, by });
  const held = subscription.held ?? [];
  subscription.held = null;
  for (const notice of held) notify(world, notice);
}

function scheduleLead(world: World, subscription: Subscription): void {
  subscription.forgetLead();
  const leftMs = subscription.expiresAt.getTime() - world.clock.now().getTime();
  const leadMs = Math.min(world.behaviour.reauthorizationLeadMinutes * minuteMs, leftMs / 2);
  const lead = world.clock.after(leftMs - leadMs, () => requireReauthorization(world, subscription));
  const end = world.clock.after(leftMs, () => expireSubscriptions(world));
  subscription.forgetLead = () => {
    lead();
    end();
  };
}

function found(call: Call): Subscription {
  expireSubscriptions(call.world);
  const subscription = call.world.subscriptions.get(call.params[0] ?? '');
  if (subscription === undefined || (!call.isApplication && subscription.address !== call.mailbox.address))
    throw new GraphError(404, 'ResourceNotFound', 'The object was not found.');
  return subscription;
}

function shown(world: World, subscription: Subscription): object {
  const { id, resource, changeTypes, clientState, notificationUrl, lifecycleNotificationUrl } = subscription;
  const mailbox = world.mailboxes.get(subscription.address.toLowerCase());
  return {
    '@odata.context': `${world.url}/v1.0/$metadata#subscriptions/$entity`,
    id,
    resource,
    applicationId: world.client.id,
    changeType: changeTypes.join(),
    clientState,
    notificationUrl,
    notificationQueryOptions: null,
    lifecycleNotificationUrl,
    expirationDateTime: subscription.expiresAt.toISOString(),
    creatorId: mailbox?.userId ?? tenantId,
    includeResourceData: null,
    latestSupportedTlsVersion: 'v1_2',
    encryptionCertificate: null,
    encryptionCertificateId: null,
    notificationUrlAppId: null,
  };
}

/** Accepts `me/messages`, `users/{id}/mailFolders('inbox')/messages` and the forms between them. */
function watched(call: Call, resource: string): Pick<Subscription, 'folder'> & { mailbox: Mailbox } {
  const path = (resource.split('?')[0] ?? '').replace(/^\//, '').replace(/\('([^']*)'\)/g, '/$1');
  const match = /^(me|users\/([^/]+))(?:\/mailFolders\/([^/]+))?\/messages$/i.exec(path);
  if (match === null) throw new GraphError(400, 'InvalidRequest', `Resource '${resource}' is not supported.`);
  const [, who, user, folderName] = match;
  const isOwn = who?.toLowerCase() === 'me';
  if (isOwn && call.isApplication) throw new GraphError(400, 'InvalidRequest', 'An application has no me.');
  const mailbox = isOwn ? call.mailbox : userNamed(call.world, user ?? '');
  if (mailbox === undefined) throw new GraphError(404, 'ErrorInvalidUser', 'The requested user is invalid.');
  if (!call.isApplication && (mailbox !== call.mailbox || !call.scopes.some((scope) => /^Mail\.Read/.test(scope))))
    throw new GraphError(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
  const folder = folderName === undefined ? undefined : folderOf(mailbox, folderName);
  if (folderName !== undefined && folder === undefined)
    throw new GraphError(404, 'ErrorItemNotFound', 'The specified folder was not found in the store.');
  return { mailbox, folder };
}

/** By address or user id. */
export function userNamed(world: World, user: string): Mailbox | undefined {
  const byAddress = world.mailboxes.get(user.toLowerCase());
  return byAddress ?? [...world.mailboxes.values()].find(({ userId }) => userId === user);
}

function changeTypesOf(list: string): ChangeKind[] {
  const kinds = list.split(',').map((kind) => kind.trim().toLowerCase());
  const known: ChangeKind[] = ['created', 'updated', 'deleted'];
  if (kinds.some((kind) => !known.some((other) => other === kind)))
    throw new GraphError(400, 'InvalidRequest', `changeType '${list}' is not supported.`);
  return known.filter((kind) => kinds.includes(kind));
}

function expiryOf(world: World, wish: string): Date {
  const at = Date.parse(wish);
  const now = world.clock.now().getTime();
  if (Number.isNaN(at) || at <= now)
    throw new GraphError(400, 'InvalidRequest', 'expirationDateTime is not in the future.');
  const max = world.behaviour.expiryMinutesMax;
  if (at > now + max * minuteMs)
    throw new GraphError(400, 'ExtensionError', `Subscription expiration can only be ${max} minutes in the future.`);
  return new Date(Math.max(at, now + shortestMs));
}

function text(wish: Record<string, unknown>, name: string): string {
  const value = wish[name];
  if (typeof value !== 'string' || value === '') throw new GraphError(400, 'InvalidRequest', `${name} is required.`);
  return value;
}

function address(wish: Record<string, unknown>, name: string): string {
  const value = text(wish, name);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isLoopback = url !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return value;
  throw new GraphError(400, 'InvalidRequest', `${name} must be an HTTPS address.`);
}

/** The handshake: the endpoint must echo the decoded token, and nothing else. */
async function prove(world: World, url: string): Promise<void> {
  const token = `Validation: Testing client application reachability for subscription Request-Id: ${randomUUID()}`;
  const written = encodeURIComponent(token)
    .replaceAll('%20', '+')
    .replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const posted = await postTo(world.agent, `${url}${url.includes('?') ? '&' : '?'}validationToken=${written}`, {
    type: 'text/plain; charset=utf-8',
    body: '',
    timeoutMs: 10_000,
  });
  const { outcome, status, latencyMs } = posted;
  const line = { at: world.clock.now(), url, kind: 'validation' as const, subscriptionIds: [], count: 0, attempt: 1 };
  keepLast(world.pushes, { ...line, outcome, status, latencyMs });
  if (status === 200 && /^text\/plain\b/i.test(posted.contentType) && posted.body === token) return;
  throw new GraphError(
    400,
    'InvalidRequest',
    'Subscription validation request failed. Response must exactly match validationToken query parameter.',
  );
}
