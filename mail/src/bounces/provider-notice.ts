/**
 * Reads reports in JSON, which Amazon SES publishes through SNS to a subscribed mailbox.
 * Shape: docs.aws.amazon.com/ses/latest/dg/notification-contents.html.
 */
import { oneDiagnostic, type ReportAction, type ReportRecipient, statusIn } from './delivery-status.ts';

export type ProviderNotice = {
  kind: 'bounce' | 'delay' | 'complaint' | 'delivered';
  originalMessageId: string | null;
  recipients: ReportRecipient[];
};

const KINDS: Readonly<
  Record<string, { kind: ProviderNotice['kind']; action: ReportAction; body: string; list: string }>
> = {
  bounce: { kind: 'bounce', action: 'failed', body: 'bounce', list: 'bouncedRecipients' },
  reject: { kind: 'bounce', action: 'failed', body: 'reject', list: 'recipients' },
  complaint: { kind: 'complaint', action: 'failed', body: 'complaint', list: 'complainedRecipients' },
  deliverydelay: { kind: 'delay', action: 'delayed', body: 'deliveryDelay', list: 'delayedRecipients' },
  delivery: { kind: 'delivered', action: 'delivered', body: 'delivery', list: 'recipients' },
};

const JSON_CHARS_MAX = 100_000;

/** Reads the notice at the top of a text. Returns null for any other text. Never throws. */
export function readProviderNotice(text: string): ProviderNotice | null {
  if (!/^\s*\{/.test(text) || !/"(?:notification|event)Type"/.test(text.slice(0, JSON_CHARS_MAX))) return null;
  const notice = objectOf(parseTop(text));
  const type = stringOf(notice.notificationType) ?? stringOf(notice.eventType);
  const shape = KINDS[type?.toLowerCase() ?? ''];
  if (shape === undefined) return null;
  const body = objectOf(notice[shape.body]);
  const mail = objectOf(notice.mail);
  const listed = arrayOf(body[shape.list]);
  const recipients = (listed.length > 0 ? listed : arrayOf(mail.destination)).slice(0, 200).flatMap((entry) => {
    const address = stringOf(entry) ?? stringOf(objectOf(entry).emailAddress);
    if (address === null) return [];
    const diagnostic = stringOf(objectOf(entry).diagnosticCode) ?? stringOf(body.smtpResponse) ?? '';
    const status = stringOf(objectOf(entry).status) ?? statusIn(diagnostic);
    return [{ address, action: shape.action, status, diagnostic: oneDiagnostic(diagnostic) }];
  });
  return { kind: shape.kind, originalMessageId: messageIdOf(mail), recipients };
}

/** The JSON ends before the footer that SNS adds. Mail relays may have wrapped its long line. */
function parseTop(text: string): unknown {
  const top = text.slice(0, JSON_CHARS_MAX);
  const end = top.search(/\}\s*(?:\n-- ?\n|$)/);
  try {
    return JSON.parse((end < 0 ? top : top.slice(0, end + 1)).replace(/[\r\n]+/g, ''));
  } catch {
    return null;
  }
}

function messageIdOf(mail: Record<string, unknown>): string | null {
  const common = stringOf(objectOf(mail.commonHeaders).messageId);
  const header = arrayOf(mail.headers)
    .map(objectOf)
    .find((entry) => stringOf(entry.name)?.toLowerCase() === 'message-id');
  return (common ?? stringOf(header?.value))?.replace(/^\s*<|>\s*$/g, '') ?? null;
}

function objectOf(value: unknown): Record<string, unknown> {
  // The check proves that it is an object. Its fields stay unknown.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
