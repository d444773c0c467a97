/**
 * Tells a mail that is sent again because our answer was lost from another mail with the same bytes. Alarms of devices
 * have neither Message-ID nor Date, and each counts.
 */

import { fieldOf, readHeaderBlock } from '@kontor/mail/header-fields.ts';
import { readMailDate } from '@kontor/mail/mail-date.ts';
import { readMessageIds } from '@kontor/mail/message-ids.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { SmtpClient } from '../../mail/smtp-listener.ts';

/** Clients hardly wait longer before they send a mail again whose answer they missed. */
const repeatedMsMax = 3_600_000;
/** A Date that is further away from the arrival is of a clock that stands still. */
const dateMsMax = 86_400_000;

type Arrival = { workspaceId: WorkspaceId; sha256: string; to: readonly string[]; at: Date };

/** Whether a mail has a Message-ID, or the trace of a server, so that the same bytes are the same mail. */
export function identifiesItself(bytes: Buffer): boolean {
  const { fields } = readHeaderBlock(bytes, 0, bytes.length);
  return fieldOf(fields, 'received') !== null || readMessageIds(fieldOf(fields, 'message-id') ?? '').length > 0;
}

/**
 * Whether the same bytes came before as another mail: their sender has read our answer, or they came long ago. A copy
 * to another recipient, and a mail with the Date of its first arrival, are the same mail.
 */
export async function isAnotherMail(
  db: Queryable,
  { workspaceId, sha256, to, at }: Arrival,
  bytes: Buffer,
): Promise<boolean> {
  const before = await db.maybe<{ receivedAt: string; lastAt: string; isAcknowledged: boolean; to: string[] }>(sql`
    select received_at as "receivedAt", coalesce(arrived_again_at, received_at) as "lastAt",
      acknowledged_at is not null as "isAcknowledged", envelope_to as "to"
    from raw_mails
    where workspace_id = ${workspaceId} and sha256 = ${sha256}`);
  if (before === undefined) return false;
  const date = readMailDate(fieldOf(readHeaderBlock(bytes, 0, bytes.length).fields, 'date') ?? '');
  if (date !== null && Math.abs(date.getTime() - Date.parse(before.receivedAt)) <= dateMsMax) return false;
  const isLongAgo = at.getTime() - Date.parse(before.lastAt) >= repeatedMsMax;
  const isToSame = to.join(' ').toLowerCase() === before.to.join(' ').toLowerCase();
  return isLongAgo || (before.isAcknowledged && isToSame);
}

type Trace = { client: SmtpClient; name: string; at: Date };

/** Adds the trace of this arrival to a mail, which makes its bytes its own (RFC 5321 §4.4). */
export function withTrace(bytes: Buffer, { client, name, at }: Trace): Buffer {
  const from = `${client.helo || 'unknown'} ([${client.address}])`;
  const date = at.toUTCString().replace('GMT', '+0000');
  const trace = `Received: from ${from} by ${name} with SMTP id ${newId()}; ${date}`;
  return Buffer.concat([Buffer.from(`${trace}\r\n`), bytes]);
}

/** Notes that bytes came once more as another mail. */
export async function noteAnotherMail(tx: Tx, { workspaceId, sha256, at }: Omit<Arrival, 'to'>): Promise<void> {
  await tx.run(sql`
    update raw_mails set arrived_again_at = ${at}, acknowledged_at = null
    where workspace_id = ${workspaceId} and sha256 = ${sha256}`);
}

export async function noteAcknowledged(tx: Tx, { workspaceId, sha256, at }: Omit<Arrival, 'to'>): Promise<void> {
  await tx.run(sql`
    update raw_mails set acknowledged_at = ${at} where workspace_id = ${workspaceId} and sha256 = ${sha256}`);
}
