import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { disableForGood } from './disable.ts';
import type { WebhookKey } from './queries.ts';
import type { PostResult } from './receivers.ts';

/** A finished attempt. */
export type WebhookAttempt = { id: string; outcome: Exclude<PostResult, { kind: 'stopped' }> };

/** `failingSince` is the first failure since the last success. `pausedUntil` is when the next attempt makes sense. */
export type Health = { failingSince: string | null; pausedUntil: string | null };

/** Seconds from each failure of a delivery to its next attempt: ten attempts within about a day. */
const retrySeconds = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200];
const failingMsMax = 24 * 3_600_000;

/**
 * Saves the results of attempts. Disables a webhook whose receiver is gone (410) or has failed for a day, and then
 * returns undefined.
 */
export async function settleAttempts(
  tx: Tx,
  webhook: WebhookKey & Health & { url: string },
  attempts: readonly WebhookAttempt[],
): Promise<Health | undefined> {
  if (attempts.length === 0) return webhook;
  const health = healthAfter(webhook, attempts, tx.now);
  await together([
    writeAttempts(tx, webhook, attempts),
    tx.run(sql`
      update webhooks set failing_since = ${health.failingSince}, paused_until = ${health.pausedUntil}
      where workspace_id = ${webhook.workspaceId} and id = ${webhook.webhookId}`),
  ]);
  if (attempts.some(({ outcome }) => outcome.kind === 'answered' && outcome.status === 410)) {
    await disableForGood(tx, webhook, 'gone');
    return undefined;
  }
  const { failingSince } = health;
  if (failingSince !== null && tx.now.getTime() - Date.parse(failingSince) > failingMsMax) {
    await disableForGood(tx, webhook, 'failing');
    return undefined;
  }
  return health;
}

const pauseMsMin = 5_000;
const pauseMsMax = 15 * 60_000;

/**
 * A successful delivery clears all failures. An unreachable receiver occupies a job at each attempt, so all its
 * deliveries pause, longer as the failure lasts. A receiver that answers gets each delivery at its own time.
 */
function healthAfter(before: Health, attempts: readonly WebhookAttempt[], now: Date): Health {
  if (attempts.some(hasArrived)) return { failingSince: null, pausedUntil: null };
  const failingSince = before.failingSince ?? now.toISOString();
  if (attempts.every(({ outcome }) => outcome.kind === 'answered')) return { failingSince, pausedUntil: null };
  const pauseMs = Math.min(Math.max((now.getTime() - Date.parse(failingSince)) / 4, pauseMsMin), pauseMsMax);
  return { failingSince, pausedUntil: new Date(now.getTime() + pauseMs).toISOString() };
}

async function writeAttempts(
  tx: Tx,
  { workspaceId, webhookId }: WebhookKey,
  attempts: readonly WebhookAttempt[],
): Promise<void> {
  const errors = attempts.map(({ outcome }) => errorOf(outcome));
  const statuses = attempts.map(({ outcome }) => (outcome.kind === 'answered' ? outcome.status : null));
  await tx.run(sql`
    update webhook_deliveries d
    set attempts = d.attempts + 1, response_status = a.response_status, error = a.error,
      status = case when a.error is null then 'delivered' when a.retry_seconds is null then 'failed' else 'pending' end,
      next_attempt_at = ${tx.now}::timestamptz + make_interval(secs => a.retry_seconds),
      settled_at = case when a.retry_seconds is null then ${tx.now}::timestamptz end
    from (
      select t.id, t.response_status, t.error,
        case when t.error is not null then (${retrySeconds}::int[])[p.attempts + 1] end as retry_seconds
      from unnest(${attempts.map(({ id }) => id)}::uuid[], ${statuses}::int[], ${errors}::text[])
        t (id, response_status, error)
      join webhook_deliveries p on p.workspace_id = ${workspaceId} and p.id = t.id
    ) a
    where d.workspace_id = ${workspaceId} and d.webhook_id = ${webhookId} and d.id = a.id and d.status = 'pending'`);
}

function hasArrived({ outcome }: WebhookAttempt): boolean {
  return errorOf(outcome) === null;
}

function errorOf(outcome: WebhookAttempt['outcome']): string | null {
  if (outcome.kind === 'unreached') return outcome.error;
  const { status } = outcome;
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `It answered ${status}: redirects are not followed.`
    : `It answered ${status}.`;
}
