import { ownIdHeader, readMessageIds } from '@kontor/mail/message-ids.ts';
import { headersOf, type MailHead, readHead } from '../../emulators/read-mail.ts';
import type { Db } from '../../src/ground/database/db.ts';
import { sql } from '../../src/ground/database/sql.ts';
import type { Desk, HostedBox } from './desk.ts';

/** A workspace's messages in the service, and its mails at the providers. */
export type Records = { desk: Desk; messages: MessageRow[]; mails: MailRecord[] };

export type MessageRow = {
  id: string;
  ticketId: string;
  direction: string;
  rfcMessageId: string | null;
  /** How a mail found its ticket. */
  matchedBy: string | null;
  wireMessageId: string | null;
  deliveryStatus: string | null;
  deliveryError: string | null;
  recipients: string[];
  arrivedAt: string;
};

export type MailRecord = {
  box: HostedBox;
  folder: 'inbox' | 'sent';
  isFiled: boolean;
  threadId: string;
  head: MailHead;
  ownId: string | null;
};

export async function readRecords(db: Db, desk: Desk): Promise<Records> {
  const messages = await db.rows<MessageRow>(sql`
    select m.id, m.ticket_id as "ticketId", m.direction, m.rfc_message_id as "rfcMessageId",
      m.threading ->> 'matchedBy' as "matchedBy", s.wire_message_id as "wireMessageId",
      m.delivery_status as "deliveryStatus", m.delivery_error as "deliveryError",
      m.to_addresses || m.cc_addresses as recipients, m.arrived_at as "arrivedAt"
    from messages m
    left join mailbox_sends s on s.workspace_id = ${desk.workspaceId} and s.message_id = m.id
    where m.workspace_id = ${desk.workspaceId}
    order by m.arrived_at, m.id`);
  const mails: MailRecord[] = [];
  for (const box of desk.mailboxes)
    for (const { raw, ...mail } of await box.side.contents(box.address))
      mails.push({ ...mail, box, head: readHead(raw), ownId: ownIdOf(raw) });
  return { desk, messages, mails };
}

/** The Message-ID that the service gave a sent mail, even if the provider changed the header. */
export function ownIdOf(raw: Buffer): string | null {
  const header = headersOf(raw).find(({ name }) => name.toLowerCase() === ownIdHeader.toLowerCase());
  return header === undefined ? null : (readMessageIds(header.value)[0] ?? null);
}
