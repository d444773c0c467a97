/** The only writer of a delivery's columns: those of `messages`, and the table `mailbox_sends`. */

import type { BounceKind } from '@kontor/mail/bounces/bounce-kinds.ts';
import type { Tx } from '../../ground/database/db.ts';
import { emptySql, type Sql, sql } from '../../ground/database/sql.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { isProblem } from '../../helpdesk/messages/problems.ts';
import { withoutErasedAddresses } from './error-text.ts';
import { type DeliveryEvent, type DeliveryState, statesBefore, statusAfter } from './state.ts';

export type DeliveryKey = { workspaceId: WorkspaceId; messageId: MessageId };
/** The writes of an attempt count only until a later attempt begins. */
export type Attempt = DeliveryKey & { attempt: number };

export type Change = {
  /** The only state that may change; any state that the event allows if missing. */
  from?: DeliveryState;
  /** Shown to people. */
  error?: string;
  nextAttemptAt?: Date | undefined;
  bounce?: { bounceKind: BounceKind; enhancedStatusCode: string | null };
  /** The draft at the mailbox; stays as it is if missing. */
  draftId?: string | null | undefined;
  /** Whether the mail became a file, which nobody gets. */
  isFile?: boolean;
  /** Our Message-ID, for the first attempt. */
  rfcMessageId?: string;
  /** From when on a scheduled message stands in its ticket, now that it leaves. */
  writtenAt?: Date;
};

/**
 * The state of message `m`, as its columns say. Only `retry-asking` leads to `queued-unsure`, and only if a row of
 * `mailbox_sends` names the mailbox to ask. So that state need not look for the row.
 */
export function stateOf(workspaceId: WorkspaceId): Sql {
  return sql`case
      when m.handing_over_at is null or m.delivery_status not in ('queued', 'sending') then m.delivery_status
      when m.delivery_status = 'queued' then 'queued-unsure'
      when exists (
        select from mailbox_sends s where s.workspace_id = ${workspaceId} and s.message_id = m.id
      ) then 'unsure'
      else 'handing-over'
    end`;
}

/**
 * Changes a delivery, if `state.ts` allows the event. One guarded update lets only one of two workers do it.
 * @param delivery with `attempt`, the event counts only until a later attempt begins
 * @returns columns of message `m`, by default its ticket; undefined if the event is refused
 */
export async function change<Row extends object = { ticketId: TicketId }>(
  tx: Tx,
  delivery: DeliveryKey & { attempt?: number },
  event: DeliveryEvent,
  details: Change = {},
  returning: Sql = sql`m.ticket_id as "ticketId"`,
): Promise<Row | undefined> {
  const { workspaceId, messageId, attempt } = delivery;
  const { from, nextAttemptAt = null, bounce, rfcMessageId = null, isFile = false } = details;
  const error = details.error === undefined ? undefined : await withoutErasedAddresses(tx, delivery, details.error);
  const status = statusAfter(event);
  const before = statesBefore(event).filter((state) => from === undefined || state === from);
  const now = sql`${tx.now}::timestamptz`;
  const writes = sql`created_at = ${details.writtenAt ?? tx.now}::timestamptz, arrived_at = clock_timestamp(),`;
  const begins = sql`delivery_attempts = m.delivery_attempts + 1,
    rfc_message_id = coalesce(m.rfc_message_id, ${rfcMessageId}),`;
  const changed = await tx.maybe<Row>(sql`
    update messages m
    set delivery_status = ${status}, ${event === 'claim' ? begins : event === 'release' ? writes : emptySql}
      delivery_error = ${error ?? (status === 'sent' || status === 'queued' ? null : sql`m.delivery_error`)},
      delivery_sent_at = ${status === 'sent' ? now : status === 'queued' ? null : sql`m.delivery_sent_at`},
      is_file = ${isFile}, delivery_next_attempt_at = ${nextAttemptAt}::timestamptz,
      delivery_bounce_kind = ${bounce?.bounceKind ?? null},
      delivery_enhanced_status_code = ${bounce?.enhancedStatusCode ?? null},
      handing_over_at = ${handedOverAfter(event, now)}, delivery_handled_at = null
    where m.workspace_id = ${workspaceId} and m.id = ${messageId}
      and ${stateOf(workspaceId)} = any(${before}::text[])
      ${attempt === undefined ? emptySql : sql`and m.delivery_attempts = ${attempt}`}
    returning ${returning}`);
  const asking = askingAfter(event, now);
  if (changed !== undefined && asking !== undefined) {
    const { draftId } = details;
    await tx.run(sql`
      update mailbox_sends s
      set ${asking}, draft_id = ${draftId === undefined ? sql`s.draft_id` : draftId}
      from messages m
      where s.workspace_id = ${workspaceId} and s.message_id = ${messageId}
        and m.workspace_id = ${workspaceId} and m.id = ${messageId}`);
  }
  return changed;
}

/** Marks a problem of a locked ticket's message as handled. @returns false if the message has none */
export async function markProblemHandled(tx: Tx, { workspaceId, messageId }: DeliveryKey): Promise<boolean> {
  const marked = await tx.run(sql`
    update messages m set delivery_handled_at = ${tx.now}
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and ${isProblem}`);
  return marked > 0;
}

/** Notes that the text of a cancelled message is a draft again, so that it does not also leave from here. */
export async function noteDraftAgain(tx: Tx, { workspaceId, messageId }: DeliveryKey): Promise<void> {
  await tx.run(sql`
    update messages set scheduled = coalesce(scheduled, '{}') || '{"isDraftAgain": true}'
    where workspace_id = ${workspaceId} and id = ${messageId}`);
}

/** After these events, nothing has left. */
const notLeftAfter: readonly DeliveryEvent[] = ['start-over', 'postpone', 'fail', 'retry'];

/** When the content began to leave. From then on, only the other side can tell whether the mail left. */
function handedOverAfter(event: DeliveryEvent, now: Sql): Sql | null {
  if (event === 'hand-over' || event === 'hand-to-mailbox') return now;
  return notLeftAfter.includes(event) ? null : sql`m.handing_over_at`;
}

/**
 * Since when the mailbox is asked in vain, and whether for an agent's retry, as assignments. Undefined if the event
 * touches neither.
 */
function askingAfter(event: DeliveryEvent, now: Sql): Sql | undefined {
  if (event === 'keep-asking') return sql`unsure_since = coalesce(s.unsure_since, ${now})`;
  if (event === 'retry-asking') return sql`unsure_since = m.handing_over_at, is_retry = true`;
  return event === 'start-over' || event === 'retry' ? sql`unsure_since = null, is_retry = false` : undefined;
}

/**
 * Changes the delivery that an attempt holds. Throws if a later attempt has the mail: then this attempt must send
 * nothing.
 */
export async function changeOwn(tx: Tx, delivery: Attempt, event: DeliveryEvent, details?: Change): Promise<void> {
  if ((await change(tx, delivery, event, details)) === undefined) throw overtaken();
}

function overtaken(): Error {
  return new Error('another attempt has taken the mail over');
}

/**
 * Stores the draft that is about to be sent. Throws if a later attempt has the mail: then this attempt sends nothing.
 */
export async function noteDraft(tx: Tx, { workspaceId, messageId, attempt }: Attempt, draftId: string): Promise<void> {
  const noted = await tx.run(sql`
    update mailbox_sends s set draft_id = ${draftId}
    from messages m
    where s.workspace_id = ${workspaceId} and s.message_id = ${messageId}
      and m.workspace_id = ${workspaceId} and m.id = ${messageId}
      and m.delivery_status = 'sending' and m.delivery_attempts = ${attempt}`);
  if (noted === 0) throw overtaken();
}

/** Stores through which mailbox an attempt sends. Another mailbox than before knows neither draft nor outcome. */
export async function chooseMailbox(
  tx: Tx,
  { workspaceId, messageId }: DeliveryKey,
  { mailboxId, isUnsure }: { mailboxId: string; isUnsure: boolean },
): Promise<void> {
  await tx.run(sql`
    insert into mailbox_sends (workspace_id, message_id, mailbox_id)
    values (${workspaceId}, ${messageId}, ${mailboxId})
    on conflict (workspace_id, message_id) do update
    set mailbox_id = excluded.mailbox_id,
      draft_id = case when mailbox_sends.mailbox_id = excluded.mailbox_id then mailbox_sends.draft_id end,
      unsure_since = case when ${isUnsure} then mailbox_sends.unsure_since end,
      is_retry = ${isUnsure} and mailbox_sends.is_retry`);
}

/** Once SMTP has the mail, the row would say that a mailbox can tell its outcome. */
export async function chooseSmtp(tx: Tx, { workspaceId, messageId }: DeliveryKey): Promise<void> {
  await tx.run(sql`
    delete from mailbox_sends where workspace_id = ${workspaceId} and message_id = ${messageId}`);
}

export type SentThrough = DeliveryKey & {
  mailboxId: string;
  /** The copy in the mailbox's Sent folder. Null if the mailbox accepted the mail but does not show it yet. */
  copy: {
    providerId: string;
    threadId: string | null;
    /** The Message-ID without brackets, as recipients see it. */
    wireMessageId: string | null;
  } | null;
};

/** Keeps values that an earlier finder stored and this finder did not see. */
export async function keepCopy(tx: Tx, { workspaceId, messageId, mailboxId, copy }: SentThrough): Promise<void> {
  await tx.run(sql`
    insert into mailbox_sends (workspace_id, message_id, mailbox_id, provider_id, thread_id, wire_message_id)
    values (${workspaceId}, ${messageId}, ${mailboxId}, ${copy?.providerId ?? null}, ${copy?.threadId ?? null},
      ${copy?.wireMessageId ?? null})
    on conflict (workspace_id, message_id) do update
    set mailbox_id = excluded.mailbox_id,
      provider_id = coalesce(excluded.provider_id, mailbox_sends.provider_id),
      thread_id = coalesce(excluded.thread_id, mailbox_sends.thread_id),
      wire_message_id = coalesce(excluded.wire_message_id, mailbox_sends.wire_message_id)`);
}

/** For a message that a Sent folder shows to be ours, though it came in as a mail. Sets columns of `messages`. */
export const sentElsewhere: Sql = sql`delivery_status = 'sent', delivery_sent_at = created_at`;
