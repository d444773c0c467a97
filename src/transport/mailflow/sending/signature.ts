import { textToHtml } from '@kontor/mail/html/html-text.ts';
import { textOfHtml } from '../../../ground/lib/html/ready-html.ts';
import type { Delivery } from '../../deliveries/claim-delivery.ts';
import type { MailboxSend } from '../../deliveries/mailbox-send.ts';

/** What stands below an answer, in both forms, behind the separator by which mail programs recognise it. */
export type Signature = { text: string; html: string };

/** RFC 3676 §4.3. */
const separator = '-- ';

/**
 * The signature of an answer: the author's own, else that of the mailbox. Composers show the same before sending.
 * @param mailbox null for SMTP
 */
export function signatureFor(
  { signatureHtml }: Delivery['author'],
  mailbox: Pick<MailboxSend['mailbox'], 'signature'> | null,
): Signature | null {
  if (signatureHtml !== null)
    return { text: `${separator}\n${linesOf(signatureHtml)}`, html: `<div>${separator}</div>\n${signatureHtml}` };
  const text = mailbox?.signature?.trim().replace(/\r\n?/g, '\n') ?? '';
  if (text === '') return null;
  const block = `${separator}\n${text}`;
  return { text: block, html: textToHtml(block) };
}

/** Without empty lines: the paragraphs of a signature belong together. */
function linesOf(html: string): string {
  return textOfHtml(html).replace(/\n{2,}/g, '\n');
}

/** Whether the text alone would lose formatting. */
export function isRich({ html }: Signature): boolean {
  return /<(?!\/?(?:p|br|div)\b)/.test(html);
}
