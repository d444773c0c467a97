/** Recognises reports of mail systems among people's mail: bounces, delays, complaints and receipts. */

import { headerOf, type ParsedMail } from '../mail.ts';
import { type ReportRecipient, readDeliveryStatus } from './delivery-status.ts';
import { type EnclosedMail, findEnclosedMail, partText } from './enclosed-mail.ts';
import { readComplaint } from './feedback-report.ts';
import { isPlainReport, plainAction, plainRecipients } from './plain-bounce.ts';
import { readProviderNotice } from './provider-notice.ts';

type ReportKind = 'bounce' | 'delay' | 'complaint' | 'delivered' | 'read-receipt';

export type MailReport = {
  kind: ReportKind;
  /** The Message-ID of the original mail, without brackets. Null when the report does not contain it. */
  originalMessageId: string | null;
  /** Our Message-ID from `ownIdHeader` of the enclosed mail. Providers may have replaced its Message-ID header. */
  originalOwnId: string | null;
  /** The Message-IDs that the original mail answers, newest first. */
  originalThreadIds: string[];
  /** In the order of the report. Empty when the report names no recipient. */
  recipients: ReportRecipient[];
};

const STATUS_TYPE =
  /^(?:message\/(?:x?delivery-status|global-delivery-status|x-delivery-status)|text\/delivery-status)$/;

const REFUSAL = /\b(?:reject|refus)|zurückgewiesen|abgelehnt|rechazad|rifiutat|geweigerd/i;

/**
 * Recognises a report about an earlier mail: RFC 3464, RFC 5965, RFC 8098, and the formats of systems that follow no
 * RFC.
 * A vacation note does not count as a report: see `automaticKind`.
 * @returns null for any other mail
 * Never throws.
 */
export function readReport(mail: ParsedMail): MailReport | null {
  const enclosed = findEnclosedMail(mail);
  const report = readProviderNotice(mail.text) ?? recognise(mail, enclosed);
  return report && { ...report, originalOwnId: enclosed.ownId, originalThreadIds: enclosed.threadIds };
}

type BareReport = Omit<MailReport, 'originalOwnId' | 'originalThreadIds'>;

function recognise(mail: ParsedMail, enclosed: EnclosedMail): BareReport | null {
  const originalMessageId = enclosed.messageId ?? mail.inReplyTo.at(-1) ?? mail.references.at(-1) ?? null;
  const complainers = readComplaint(mail, enclosed);
  if (complainers) return { kind: 'complaint', originalMessageId, recipients: complainers };
  const receipt = mail.attachments.find((part) =>
    /^message\/(?:global-)?disposition-notification$/.test(part.contentType),
  );
  if (receipt) {
    const isRefused = REFUSAL.test(`${mail.subject}\n${enclosed.ownText.slice(0, 2_000)}`);
    return readReceipt(partText(receipt.content), originalMessageId, isRefused);
  }
  const statusParts = mail.attachments.filter((part) => STATUS_TYPE.test(part.contentType));
  const isTyped = statusParts.length > 0 && !isForwarded(mail);
  if (!isTyped && !isPlainReport(mail, enclosed)) return null;
  const recipients = [...statusParts.map((part) => partText(part.content)), enclosed.ownText].flatMap(
    readDeliveryStatus,
  );
  if (recipients.length > 0)
    return { kind: kindOf(recipients), originalMessageId, recipients: withoutRepeats(recipients) };
  const action = plainAction(mail, enclosed);
  const kind = action === 'delayed' ? 'delay' : action === 'delivered' ? 'delivered' : 'bounce';
  return { kind, originalMessageId, recipients: plainRecipients(mail, enclosed, action) };
}

/** Whether a person forwards or answers a report. */
function isForwarded(mail: ParsedMail): boolean {
  const isReport = /^multipart\/report/i.test(headerOf(mail, 'content-type') ?? '');
  return !isReport && /^(?:re|fwd?|aw|wg|tr)\s?:/i.test(mail.subject);
}

function kindOf(recipients: readonly ReportRecipient[]): 'bounce' | 'delay' | 'delivered' {
  if (recipients.some((recipient) => recipient.action === 'failed')) return 'bounce';
  return recipients.some((recipient) => recipient.action === 'delayed') ? 'delay' : 'delivered';
}

function withoutRepeats(recipients: readonly ReportRecipient[]): ReportRecipient[] {
  const seen = new Set<string>();
  return recipients.filter(({ address }) => {
    const key = address.toLowerCase();
    return seen.has(key) ? false : seen.add(key);
  });
}

/**
 * Reads a receipt, which has one recipient who opened the mail, deleted it or declined to answer (RFC 8098 §3.2).
 * A filter that refuses a mail may also send a receipt of deletion (RFC 5429 §2.2). That receipt counts as a bounce.
 */
function readReceipt(fields: string, enclosedId: string | null, isRefused: boolean): BareReport {
  const [reader] = readDeliveryStatus(fields);
  const original = /^Original-Message-ID[ \t]*:[ \t]*<?([^\s<>]{3,998})>?/im.exec(fields)?.[1] ?? null;
  const disposition = /^Disposition[ \t]*:[ \t]*(.{1,200})$/im.exec(fields)?.[1]?.trim() ?? null;
  const isBounce = isRefused && /^automatic-action.*deleted/i.test(disposition ?? '');
  const action = isBounce ? ('failed' as const) : ('delivered' as const);
  const recipients = reader ? [{ ...reader, action, diagnostic: disposition }] : [];
  return { kind: isBounce ? 'bounce' : 'read-receipt', originalMessageId: original ?? enclosedId, recipients };
}
