import { ADDRESS_LIST_CHARS_MAX } from '@kontor/mail/addresses.ts';
import { automaticKind } from '@kontor/mail/automatic.ts';
import { type MailReport, readReport } from '@kontor/mail/bounces/report.ts';
import { isRebuilt, mailFingerprint, rebuiltFingerprint } from '@kontor/mail/identity.ts';
import { headerOf, type MailAddress, type ParsedMail } from '@kontor/mail/mail.ts';
import type { MailAuthentication } from '@kontor/mail/mail-authentication.ts';
import { DEPTH_CUT, PARTS_CUT } from '@kontor/mail/mime-tree.ts';
import { parseMail, UnparsableMail } from '@kontor/mail/parse.ts';
import { noSubject } from '@kontor/mail/threading.ts';
import { HTML_CHARS_MAX } from '../../ground/lib/html/safe-html.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { type MailCut, mailCuts } from '../../ground/lib/mail-cuts.ts';
import { firstCodePoints } from '../../ground/lib/text.ts';
import { type MailPerson, nameClaim } from '../../helpdesk/contacts/name-claim.ts';
import type { NewAttachment } from '../../helpdesk/files/attach.ts';
import { type KeptHeaders, keptHeaders } from '../../helpdesk/messages/kept-headers.ts';
import { type ForwardedMail, readForwarded } from './forwarded-mail.ts';
import { addressCharsMax, type FileToKeep, type MailTexts, shownOf, usableAddress } from './mail-texts.ts';
import { timesOf } from './mail-times.ts';
import type { RawMail } from './raw-mails.ts';

/** The parts of a raw mail that parsing needs. */
export type MailToRead = Pick<RawMail, 'sha256' | 'origin' | 'mailboxId' | 'receivedAt' | 'envelope' | 'hosted'> & {
  bytes: Uint8Array;
};

/** The content of a mail, before its ticket is known. */
export type MailContent = MailTexts & {
  /** Without the parts that other fields hold. */
  parsed: Omit<ParsedMail, 'text' | 'html' | 'attachments'>;
  fingerprint: string;
  /** The fingerprint that this mail has, or would have, as a rebuilt mail; null without a Message-ID. */
  rebuiltFingerprint: string | null;
  subject: string;
  from: MailAddress | null;
  /** Everyone whom the mail names, the writer first. */
  people: MailPerson[];
  toAddresses: string[];
  ccAddresses: string[];
  replyToAddresses: string[];
  deliveredToAddresses: string[];
  /** MAIL FROM by SMTP, else the Return-Path that the provider wrote. */
  envelopeFrom: string | null;
  headers: KeptHeaders | null;
  /** Its report on another mail; null when it is not a report. */
  report: MailReport | null;
  automaticKind: string | null;
  createdAt: Date;
  sentAt: Date | null;
  /** The parts that were too large and are missing. */
  truncated: MailCut[];
  files: FileToKeep[];
  /** The mail that this mail forwards, if it does nothing else. Only a member's forward counts (`take/forwards.ts`). */
  forwarded: ForwardedMail | null;
};

export type ReadMail = MailContent & { raw: RawMail };

export type UnderstoodMail = ReadMail & {
  /** Whether the mail really comes from its From address. */
  authentication: MailAuthentication;
  /**
   * Set where `from` is not the From of the mail, but the person for whom a list or a form sent it (`relayed-mail.ts`):
   * whether the sender is one of our own, and proves that it is.
   */
  relay?: { isOurs: boolean; isProven: boolean };
  /** Set where the mail is not the mail that came, but the mail in it, which this member forwarded. */
  forwardedBy?: SendingMember;
};

/** A member, named as the account is now. */
export type SendingMember = { userId: UserId; name: string | null; email: string };

/** Bytes that are not a mail, or that we could not parse. */
export type UnreadableContent = { fingerprint: string; reason: string };

export type UnreadableMail = UnreadableContent & { raw: RawMail };

/** A mail whose bytes and files are durable, ready for ingestion. */
export type PreparedMail = (UnderstoodMail | UnreadableMail) & {
  attachments: NewAttachment[];
  /** The files of the mail that it encloses and forwards. */
  forwardedAttachments?: NewAttachment[];
};

const subjectCodePointsMax = 500;
const peopleMax = 100;
const addressesMax = 500;

/**
 * Does all the work on a raw mail that takes time in proportion to its size. `mail-parser.ts` runs it, in place or in
 * a worker thread. Never throws: a mail that cannot be parsed, for any reason, is unreadable.
 */
export async function readMail(raw: MailToRead): Promise<MailContent | UnreadableContent> {
  try {
    return await contentOf(raw, await parseMail(raw.bytes));
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    const reason = error instanceof UnparsableMail ? error.message : `it could not be understood (${name})`;
    return { fingerprint: raw.sha256, reason };
  }
}

async function contentOf(raw: MailToRead, parsed: ParsedMail): Promise<MailContent> {
  const { text: _text, html: _html, attachments: _attachments, ...rest } = parsed;
  const { files, ...texts } = shownOf(parsed);
  const times = timesOf(parsed, raw);
  const from = usableAddress(parsed.from);
  const report = readReport(parsed);
  const rebuilt = rebuiltFingerprint(parsed);
  const isOurs = raw.mailboxId !== null && isRebuilt(raw.bytes);
  return {
    parsed: rest,
    fingerprint: (isOurs ? rebuilt : null) ?? mailFingerprint(parsed, raw.bytes),
    rebuiltFingerprint: rebuilt,
    subject: firstCodePoints(parsed.subject, subjectCodePointsMax) || noSubject,
    from,
    people: peopleOf(parsed, from, times.createdAt),
    ...texts,
    toAddresses: emailsOf(parsed.to),
    ccAddresses: emailsOf(parsed.cc),
    replyToAddresses: emailsOf(parsed.replyTo),
    deliveredToAddresses: parsed.deliveredTo.slice(0, addressesMax),
    envelopeFrom: raw.envelope.from ?? returnPathOf(parsed),
    headers: keptHeaders(parsed.headers),
    report,
    automaticKind: report?.kind ?? automaticKind(parsed, raw.envelope.from),
    ...times,
    truncated: cutsOf(parsed, texts.body),
    files,
    forwarded: await readForwarded(parsed, texts),
  };
}

function cutsOf(parsed: ParsedMail, body: string): MailCut[] {
  const { truncated, defects, headers } = parsed;
  const isCut: Record<MailCut, boolean> = {
    text:
      body.length < parsed.text.length ||
      (parsed.html?.length ?? 0) > HTML_CHARS_MAX ||
      truncated.includes('text') ||
      truncated.includes('html'),
    attachments: defects.includes(PARTS_CUT) || defects.includes(DEPTH_CUT),
    recipients:
      truncated.includes('header') ||
      [parsed.to, parsed.cc, parsed.replyTo].some((list) => list.length > addressesMax) ||
      headers.some(({ name, value }) => /^(?:to|cc)$/.test(name) && value.length > ADDRESS_LIST_CHARS_MAX),
  };
  return mailCuts.filter((cut) => isCut[cut]);
}

function peopleOf({ to, cc }: ParsedMail, from: MailAddress | null, at: Date): MailPerson[] {
  const others = [...to, ...cc].map(usableAddress).filter((address) => address !== null);
  return [
    ...(from === null ? [] : [{ ...from, claim: nameClaim(from, true, at) }]),
    ...others.slice(0, peopleMax).map((person) => ({ ...person, claim: nameClaim(person, false, at) })),
  ];
}

/** The server that delivers a mail writes MAIL FROM into a Return-Path field at the top (RFC 5321 §4.4). */
function returnPathOf(parsed: ParsedMail): string | null {
  const address = headerOf(parsed, 'return-path')?.replace(/[\s<>]/g, '') ?? null;
  return address === null || address.length > addressCharsMax ? null : address;
}

function emailsOf(addresses: readonly MailAddress[]): string[] {
  return [...new Set(addresses.map(({ email }) => email))].slice(0, addressesMax);
}
