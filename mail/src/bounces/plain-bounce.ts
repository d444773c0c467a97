/**
 * Recognises reports of mail systems without an RFC 3464 part: qmail, Exim, Domino, gateways, and provider notices.
 * No single sign is proof, so this scores several signs: the sender, the subject and the text.
 */

import { headerOf, type ParsedMail } from '../mail.ts';
import {
  addressIn,
  failureStatusIn,
  hasFailureCode,
  oneDiagnostic,
  type ReportAction,
  type ReportRecipient,
  statusIn,
} from './delivery-status.ts';
import type { EnclosedMail } from './enclosed-mail.ts';
import {
  AWAY_SUBJECTS,
  DELAY_TEXTS,
  FINAL_TEXTS,
  REASON_TEXTS,
  REPORT_SUBJECTS,
  REPORT_TEXTS,
} from './report-words.ts';

const SUBJECT = new RegExp(REPORT_SUBJECTS.join('|'), 'iu');
const TEXT = new RegExp(REPORT_TEXTS.join('|'), 'iu');
const DELAY = new RegExp(DELAY_TEXTS.join('|'), 'iu');
const FINAL = new RegExp(FINAL_TEXTS.join('|'), 'iu');
const DAEMON_ADDRESS =
  /^(?:mailer[-_.]?daemon|mail[-_.]?daemon|mdaemon|bounces?|ndr|dsn|mail[-_.]?delivery)(?:[-+.\w]*)?(?:@|$)/i;
const POSTMASTER_ADDRESS =
  /^"?(?:poo?st[-_.]?master|mailadmin|mail-?system|mailserver|(?:[a-z0-9]{1,20}[-_.])?mta)(?:[-+.\w]*)?"?(?:@|$)/i;
const UNATTENDED_ADDRESS =
  /^"?(?:system|sysadmin|no-?reply|do-?not-?reply|administrator|root|smtp|staff|abuse)(?:[-+.\w]*)?"?(?:@|$)/i;
const DAEMON_NAME = new RegExp(
  'mail(?:er)?[\\s-]?(?:daemon|delivery|system|administrator|server|gateway|admin)|' +
    'postmaster|system administrator|delivery (?:sub)?system|microsoft outlook|' +
    'ndr administrator|mail delivery|internet mail',
  'i',
);
const AWAY = new RegExp(`^(?:${AWAY_SUBJECTS.join('|')})`, 'iu');
const REASON = new RegExp(REASON_TEXTS.join('|'), 'iu');

/** The score that makes a mail a report. */
const SCORE_NEEDED = 4;
const TEXT_CHARS_MAX = 20_000;

/**
 * Whether the signs suffice. Besides the score, the mail needs two independent signs. People quote error texts, shops
 * write from no-reply addresses, and vacation notes have an empty envelope sender too (RFC 3834 §3.3).
 */
export function isPlainReport(mail: ParsedMail, enclosed: EnclosedMail): boolean {
  const text = enclosed.ownText.slice(0, TEXT_CHARS_MAX);
  const sender = senderScore(mail);
  const hasSubject = SUBJECT.test(mail.subject);
  const isAuto = /^auto-/i.test(headerOf(mail, 'auto-submitted') ?? '');
  const isReportType = /^multipart\/report/i.test(headerOf(mail, 'content-type') ?? '');
  const namesRecipients = headerOf(mail, 'x-failed-recipients') !== null;
  // Customers forward bounces, and describe them with the same words.
  if (sender === 0 && !hasEmptyPath(mail) && !isAuto && !isReportType && !namesRecipients) return false;
  const hasCode = statusIn(text) !== null || /(?<![\d.])[45]\d\d[ -][A-Z<#'"]/.test(text);
  const isEnclosing = enclosed.messageId !== null || enclosed.ownText.length < mail.text.length;
  const hasReason = hasCode || REASON.test(text);
  // Shops and carriers also write about failed deliveries from no-reply addresses, but list no address and no code.
  const isListing = hasSubject && TEXT.test(text) && addressesLeading(text.split('\n')).length > 0;
  const isAboutMail = isEnclosing || isListing || (hasCode && addressIn(text) !== null);
  if (sender < 2 && !isReportType && !namesRecipients && !isAboutMail) return false;
  const proofs = [
    { isGiven: sender >= 2, weight: sender },
    { isGiven: hasEmptyPath(mail), weight: 2 },
    { isGiven: hasSubject, weight: 2 },
    { isGiven: TEXT.test(text), weight: 2 },
    { isGiven: isReportType, weight: 2 },
    { isGiven: namesRecipients, weight: 4 },
    { isGiven: sender === 3 && (hasReason || DELAY.test(text)), weight: 1 },
  ].filter((proof) => proof.isGiven);
  let score = proofs.reduce((sum, proof) => sum + proof.weight, sender === 1 ? 1 : 0);
  if (isAuto) score += 1;
  if (hasReason) score += 1;
  if (isEnclosing) score += 1;
  if (!hasSubject && AWAY.test(mail.subject)) score -= 3;
  if (mail.inReplyTo.length > 0 && /^(?:re|aw|sv|fwd?|wg|tr)\s?:/i.test(mail.subject)) score -= 3;
  if (headerOf(mail, 'list-id') !== null || headerOf(mail, 'list-post') !== null) score -= 2;
  return proofs.length >= 2 && score >= SCORE_NEEDED;
}

function senderScore(mail: ParsedMail): number {
  const from = headerOf(mail, 'from') ?? '';
  const address = mail.from?.email ?? addressIn(from) ?? from.replace(/[<>\s]/g, '');
  if (DAEMON_ADDRESS.test(address) || /mailer-daemon/i.test(from)) return 3;
  if (POSTMASTER_ADDRESS.test(address) || DAEMON_NAME.test(from)) return 2;
  return UNATTENDED_ADDRESS.test(address) ? 1 : 0;
}

/** Whether the mail has `Return-Path: <>`, or a daemon's address, which some relays write instead. */
function hasEmptyPath(mail: ParsedMail): boolean {
  const path = headerOf(mail, 'return-path')?.replace(/[<>\s"]/g, '') ?? null;
  return path !== null && (path === '' || DAEMON_ADDRESS.test(path) || POSTMASTER_ADDRESS.test(path));
}

/** Tells from the words of a report whether the mail is delayed, delivered or failed. */
export function plainAction(mail: ParsedMail, enclosed: EnclosedMail): ReportAction {
  const text = enclosed.ownText.slice(0, TEXT_CHARS_MAX);
  if (DELAY.test(mail.subject) || /^(?:warning|warnung|attention)\b/i.test(mail.subject)) return 'delayed';
  if (FINAL.test(mail.subject)) return 'failed';
  // A status code without any sign of a failure means success.
  if (statusIn(text) !== null && !hasFailureCode(text) && !FINAL.test(text) && !REASON.test(text)) return 'delivered';
  return DELAY.test(text) && !FINAL.test(text) ? 'delayed' : 'failed';
}

/** Returns the recipients of a report without status fields, from its headers, its text or the enclosed mail. */
export function plainRecipients(mail: ParsedMail, enclosed: EnclosedMail, action: ReportAction): ReportRecipient[] {
  const lines = enclosed.ownText.slice(0, TEXT_CHARS_MAX).split('\n');
  const own = new Set(
    [mail.from, mail.sender, ...mail.to, ...mail.replyTo].map((address) => address?.email.toLowerCase()),
  );
  const isOther = (address: string) => !own.has(address.toLowerCase());
  const isPerson = (address: string) => isOther(address) && !/^(?:postmaster|mailer-daemon)@/i.test(address);
  const named = (headerOf(mail, 'x-failed-recipients') ?? '').split(/[,\s]+/).flatMap((word) => addressIn(word) ?? []);
  const anywhere = lines.slice(0, 60).flatMap((line) => addressIn(line) ?? []);
  const found = [
    named,
    addressesLeading(lines).filter(isPerson),
    anywhere.filter(isPerson),
    enclosed.recipients.filter(isOther),
    anywhere.filter(isOther),
  ].find((addresses) => addresses.length > 0);
  return [...new Set(found ?? [])].slice(0, 50).map((address) => ({ address, action, ...reasonFor(lines, address) }));
}

const LEADING_ADDRESS = new RegExp(
  '^[\\s*•>-]{0,20}(?:(?:to|recipient|user|address|rcpt to)(?: address)?\\s?:\\s{0,10})?' +
    '<?([^\\s<>,;:"()]{1,64}@[^\\s<>,;:"()]{1,255})>?',
  'i',
);

/** Finds `<x@example.org>:` (qmail), `x@example.org` alone on a line, `To: x@example.org` and `* x@example.org`. */
function addressesLeading(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const match = LEADING_ADDRESS.exec(line);
    return match?.[1] === undefined ? [] : [match[1].replace(/(?<!\.)\.+$/, '')];
  });
}

const REASON_LINES_MAX = 6;
const HAS_REPLY_CODE = /(?<![\d.])[45]\d\d[ -]\S/;

/** Returns the code and the text next to an address, or those of the whole report if the text lacks the address. */
function reasonFor(lines: readonly string[], address: string): Pick<ReportRecipient, 'status' | 'diagnostic'> {
  const at = lines.findIndex((line) => line.includes(address));
  const near = at < 0 ? lines : lines.slice(at, at + REASON_LINES_MAX);
  const line = lines[at] ?? '';
  const behind = line.slice(line.indexOf(address) + address.length).replace(/^[>:.\s-]+/, '');
  const said = [...near, ...lines].find((each) => statusIn(each) !== null || HAS_REPLY_CODE.test(each));
  return {
    status: statusNear(near.join('\n'), lines.join('\n')),
    diagnostic: oneDiagnostic(said ?? (/\p{L}{3}/u.test(behind) ? behind : near.slice(1, 3).join(' '))),
  };
}

/** A failure code counts before a success code, because an intermediate server may have reported the success. */
function statusNear(near: string, text: string): string | null {
  return failureStatusIn(near) ?? failureStatusIn(text) ?? statusIn(near) ?? statusIn(text);
}
