import type { MailAddress, ParsedMail } from '@kontor/mail/mail.ts';
import { parseMail } from '@kontor/mail/parse.ts';
import { findForward, forwardedHtmlStart } from '@kontor/mail/quoting/forward.ts';
import { trimReply } from '@kontor/mail/quoting/quoting.ts';
import { forwardedSubject, noSubject } from '@kontor/mail/threading.ts';
import { splitHtml } from '../../ground/lib/html/html-ranges.ts';
import { firstCodePoints } from '../../ground/lib/text.ts';
import { type FileToKeep, type MailTexts, shownOf, textsOf, usableAddress } from './mail-texts.ts';

/** The mail inside a mail that forwards it. Nothing proves who wrote it: the outer mail can name anybody. */
export type ForwardedMail = MailTexts & {
  from: MailAddress;
  subject: string;
  /** What the writer of the outer mail added; empty for nothing. */
  note: string;
  /** The files of an enclosed mail. Those of a mail in the text are files of the outer mail. */
  files: FileToKeep[];
};

/**
 * Reads the mail that another mail forwards: in its text, below a readable head, or as its only enclosed mail. The
 * subject has to say that it forwards, because replies quote with the same head.
 * @param shown the texts of the outer mail
 */
export async function readForwarded(
  parsed: ParsedMail,
  shown: Pick<MailTexts, 'body' | 'bodyHtml'>,
): Promise<ForwardedMail | null> {
  const subject = forwardedSubject(parsed.subject);
  if (subject === null || isFinnishReply(parsed.subject, shown.body)) return null;
  const found = readInText(shown) ?? (await readEnclosed(parsed));
  const from = usableAddress(found?.from ?? null);
  if (found === null || from === null) return null;
  const inner = found.subject ?? subject;
  return {
    ...found,
    from,
    subject: firstCodePoints(forwardedSubject(inner) ?? inner, subjectCodePointsMax) || noSubject,
  };
}

const subjectCodePointsMax = 500;

/** `VS` forwards in Danish and Norwegian, and replies in Finnish. */
function isFinnishReply(subject: string, body: string): boolean {
  return /^vs\b/i.test(subject.trim()) && /^[>*\s]{0,6}lähettäjä/im.test(body);
}

type Found = Omit<ForwardedMail, 'subject'> & { subject: string | null };

function readInText({ body, bodyHtml }: Pick<MailTexts, 'body' | 'bodyHtml'>): Found | null {
  const found = findForward(body);
  if (found === null) return null;
  const { from, subject, above: note, text } = found;
  const start = bodyHtml === null ? null : forwardedHtmlStart(bodyHtml);
  // HTML whose head cannot be told from the words above it would show these words to the customer in a quote.
  const html = bodyHtml === null || start === null ? null : splitHtml(bodyHtml, [start, bodyHtml.length]).inside;
  return { ...textsOf(text, html), from, subject, note, files: [] };
}

async function readEnclosed({ text, attachments }: ParsedMail): Promise<Found | null> {
  const [enclosed, ...more] = attachments.filter(({ contentType }) => ENCLOSED.has(contentType));
  if (enclosed === undefined || more.length > 0) return null;
  const inner = await parseMail(enclosed.content).catch(() => null);
  if (inner === null || inner.from === null) return null;
  // Without words of its own, the outer mail has those of the enclosed mail.
  const isOwnText = inner.text.trim() === '' || !text.trimEnd().endsWith(inner.text.trim());
  const note = isOwnText ? trimReply(text).reply.trim() : '';
  return { ...shownOf(inner), from: inner.from, subject: inner.subject, note };
}

const ENCLOSED: ReadonlySet<string> = new Set(['message/rfc822', 'message/global']);
