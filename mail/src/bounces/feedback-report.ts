/** Reads complaints: abuse reports (RFC 5965), and the formats of providers that do not follow that RFC. */

import { headerOf, type ParsedMail } from '../mail.ts';
import { addressIn, type ReportRecipient } from './delivery-status.ts';
import { type EnclosedMail, partText } from './enclosed-mail.ts';

/** Microsoft's junk reports consist of the bare mail. Apple Mail sends a mail when its user presses "Unsubscribe". */
const COMPLAINT_SUBJECT = new RegExp(
  '^complaint about message from|^(?:\\[[^\\]]{1,40}\\]\\s*)?(?:e-?mail )?(?:abuse|feedback|' +
    'spam) report\\b|^abuse report|email feedback report',
  'i',
);
const COMPLAINT_TEXT = new RegExp(
  'this is an? (?:e-?mail )?(?:abuse|spam|feedback|opt-out) report|' +
    'mail sent this email to unsubscribe from the message|junk ?mail report|' +
    'complaint about (?:a )?message from',
  'i',
);

/** Microsoft writes the complainant into the mail that it returns. */
const MICROSOFT_MARK = /^X-HmXmrOriginalRecipient[ \t]*:/im;

/**
 * Returns the recipients who complained, or null when the mail is not a complaint.
 * Most providers remove the complainant's address. Then this returns the recipients of the enclosed mail, if any.
 * Never throws.
 */
export function readComplaint(mail: ParsedMail, enclosed: EnclosedMail): ReportRecipient[] | null {
  const report = mail.attachments.find((part) => part.contentType === 'message/feedback-report');
  if (report === undefined && !isComplaintForm(mail)) return null;
  const fields = report === undefined ? '' : partText(report.content);
  const named = [...fields.matchAll(/^(?:Original-Rcpt-To|Removal-Recipient)[ \t]*:(.{1,1000})$/gim)];
  const addresses = named.flatMap((match) => addressIn(match[1] ?? '') ?? []);
  const type = /^Feedback-Type[ \t]*:[ \t]*([\w-]{1,40})/im.exec(fields)?.[1]?.toLowerCase() ?? null;
  return [...new Set(addresses.length > 0 ? addresses : enclosed.recipients)]
    .slice(0, 50)
    .map((address) => ({ address, action: 'failed' as const, status: null, diagnostic: type }));
}

/** A person may also title a mail "spam report", so this needs an enclosed mail or the mark of a machine too. */
function isComplaintForm(mail: ParsedMail): boolean {
  if (mail.inReplyTo.length > 0) return false;
  const text = mail.text.slice(0, 2_000);
  if (/^Feedback-Type[ \t]*:/im.test(text) && /^(?:User-Agent|Version)[ \t]*:/im.test(text)) return true;
  const says = COMPLAINT_SUBJECT.test(mail.subject) || COMPLAINT_TEXT.test(text);
  if (says && /^auto-/i.test(headerOf(mail, 'auto-submitted') ?? '')) return true;
  const mails = mail.attachments.filter((part) =>
    /^(?:message|text)\/(?:rfc822|rfc822-headers)$/.test(part.contentType),
  );
  return mails.some((part) => says || MICROSOFT_MARK.test(partText(part.content)));
}
