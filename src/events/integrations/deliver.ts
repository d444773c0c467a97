import type { App } from '../../app.ts';
import type { Tx } from '../../ground/database/db.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { isFree, leaseColumn, leasedFor, leaseEnded } from '../../ground/queue/lease.ts';
import { dispatchFacts } from './dispatch.ts';
import type { WebhookKey } from './queries.ts';
import type { PostResult } from './receivers.ts';
import { openKeys, type SealedKeys } from './sealed-keys.ts';
import { type Health, settleAttempts, type WebhookAttempt } from './settle.ts';
import { signatureHeaders } from './signature.ts';

type Sending = Pick<App, 'db' | 'clock' | 'seal' | 'receivers'>;

/** Limit for one webhook. All its deliveries share one run, so a silent receiver blocks only one place. */
const sentAtOnceMax = 4;
const runMsMax = 5_000;
const postMsMax = 10_000;
/**
 * Slow receivers of a workspace share `slowAtOnceMax` senders for a while. An answer this late makes a receiver slow.
 */
const slowMs = 1_000;
const slowForSeconds = 300;
const slowAtOnceMax = 2;
const crowdedMs = 1_000;

/**
 * Reads some of a webhook's facts, then sends its due deliveries until none is left, or until `runMsMax`, so that other
 * webhooks get a turn. Deliveries of a killed process are sent again under the same id.
 */
export async function deliverToWebhook(sending: Sending, webhook: WebhookKey): Promise<void> {
  const runUntil = performance.now() + runMsMax;
  let turn: Turn | undefined;
  let sent: Sent[] = [];
  let sentAt = 0;
  do {
    const isSlow = performance.now() - sentAt >= slowMs && sent.length > 0;
    const round = { heldUntil: turn?.heldUntil ?? null, sent, isSlow, runUntil };
    turn = await sending.db.tx((tx) => nextTurn(tx, webhook, round));
    sentAt = performance.now();
    sent = await sendAll(sending, webhook, turn);
  } while (turn !== undefined);
}

type DueDelivery = { id: string; payload: { type: string; timestamp: string; data: object } };
/** Deliveries to send now. This process alone holds the webhook until `heldUntil`. */
type Turn = SealedKeys & { url: string; heldUntil: string; due: DueDelivery[] };
type Sent = { id: string; outcome: PostResult };
type Round = { heldUntil: string | null; sent: readonly Sent[]; isSlow: boolean; runUntil: number };

/** Settles the last turn, or reads facts before the first, and takes the next. Returns undefined when the run ends. */
async function nextTurn(tx: Tx, webhook: WebhookKey, round: Round): Promise<Turn | undefined> {
  const sender = await lockSender(tx, webhook, round.heldUntil);
  if (sender === undefined) return undefined;
  if (round.heldUntil === null) {
    await dispatchFacts(tx, webhook);
    if (sender.isSlow && (await isCrowded(tx, webhook))) return undefined;
  }
  const attempts = round.sent.filter(hasEnded);
  const health = await settleAttempts(tx, { ...webhook, ...sender }, attempts);
  if (health === undefined) return undefined;
  if (round.isSlow) await markSlow(tx, webhook);
  // Stopped deliveries are still due, for another process.
  const isOver = performance.now() >= round.runUntil || attempts.length < round.sent.length;
  const due = isOver ? [] : await listDue(tx, webhook, health);
  if (due.length > 0) return { ...(await takeTurn(tx, webhook)), due };
  await tx.run(sql`
    update webhooks set ${leaseEnded('webhook')}
    where workspace_id = ${webhook.workspaceId} and id = ${webhook.webhookId}`);
  return undefined;
}

function hasEnded(sent: Sent): sent is WebhookAttempt {
  return sent.outcome.kind !== 'stopped';
}

type WebhookSender = Health & { url: string; isSlow: boolean };

/**
 * Locks the webhook. Returns undefined when the webhook is gone, disabled or held by another sender, which sends
 * everything due. If that sender was killed, the webhook is due again when its lease ends. A change of address ends a
 * turn: its results are then not settled. A run does not begin while another process has the lock: the webhook stays
 * due if that process leaves it so.
 */
function lockSender(tx: Tx, webhook: WebhookKey, heldUntil: string | null): Promise<WebhookSender | undefined> {
  return tx.maybe<WebhookSender>(sql`
    select url, failing_since as "failingSince", paused_until as "pausedUntil",
      coalesce(slow_until > now(), false) as "isSlow"
    from webhooks w
    where workspace_id = ${webhook.workspaceId} and id = ${webhook.webhookId} and status = 'active'
      and ${heldUntil === null ? isFree('webhook', 'w') : sql`w.${leaseColumn('webhook', 'until')} = ${heldUntil}`}
    for no key update ${heldUntil === null ? sql`skip locked` : emptySql}`);
}

/**
 * Whether enough slow receivers of the workspace are sent to. The webhook then pauses for a moment. Two concurrent
 * counts do not see each other. Then one more slow sender runs for a turn.
 */
async function isCrowded(tx: Tx, { workspaceId, webhookId }: WebhookKey): Promise<boolean> {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) from webhooks w
    where workspace_id = ${workspaceId} and id <> ${webhookId} and status = 'active'
      and slow_until > now() and not ${isFree('webhook', 'w')}`);
  if (count < slowAtOnceMax) return false;
  await tx.run(sql`
    update webhooks set paused_until = greatest(paused_until, ${new Date(tx.now.getTime() + crowdedMs)}::timestamptz)
    where workspace_id = ${workspaceId} and id = ${webhookId}`);
  return true;
}

async function markSlow(tx: Tx, { workspaceId, webhookId }: WebhookKey): Promise<void> {
  await tx.run(sql`
    update webhooks set slow_until = now() + make_interval(secs => ${slowForSeconds})
    where workspace_id = ${workspaceId} and id = ${webhookId}`);
}

async function listDue(tx: Tx, { workspaceId, webhookId }: WebhookKey, health: Health): Promise<DueDelivery[]> {
  if (health.pausedUntil !== null && Date.parse(health.pausedUntil) > tx.now.getTime()) return [];
  // A single delivery tests whether a failing receiver accepts requests again.
  const dueMax = health.failingSince === null ? sentAtOnceMax : 1;
  return tx.rows<DueDelivery>(sql`
    select id, payload
    from webhook_deliveries
    where workspace_id = ${workspaceId} and webhook_id = ${webhookId}
      and status = 'pending' and next_attempt_at <= ${tx.now}
    order by next_attempt_at, id
    limit ${dueMax}`);
}

/** Takes the lease of a locked webhook, or renews it. */
function takeTurn(tx: Tx, { workspaceId, webhookId }: WebhookKey): Promise<Omit<Turn, 'due'>> {
  return tx.one<Omit<Turn, 'due'>>(sql`
    update webhooks w
    set ${leasedFor('webhook')}
    where workspace_id = ${workspaceId} and id = ${webhookId}
    returning url, secret, previous_secret as "previousSecret", previous_secret_until as "previousSecretUntil",
      w.${leaseColumn('webhook', 'until')} as "heldUntil"`);
}

async function sendAll(sending: Sending, webhook: WebhookKey, turn: Turn | undefined): Promise<Sent[]> {
  if (turn === undefined) return [];
  const keys = openKeys(sending.seal, webhook, turn, sending.clock.now());
  return Promise.all(
    turn.due.map(async (due) => ({ id: due.id, outcome: await sendEvent(sending, turn.url, keys, due) })),
  );
}

function sendEvent(
  { receivers, clock }: Sending,
  url: string,
  keys: readonly Uint8Array[],
  { id, payload: { type, timestamp, data } }: DueDelivery,
): Promise<PostResult> {
  const body = JSON.stringify({ type, timestamp, data });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Kontor-Webhooks/1',
    ...signatureHeaders({ id, at: clock.now(), body }, keys),
  };
  return receivers.post({ url, headers, body, timeoutMs: postMsMax });
}
