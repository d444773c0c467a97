/** Rebuilds a mail from its parts when Graph cannot return its MIME. */

import { rebuiltLine } from '@kontor/mail/identity.ts';
import { ownIdHeader } from '@kontor/mail/message-ids.ts';
import MailComposer from 'nodemailer/lib/mail-composer';
import { ProviderFault } from '../provider-fault.ts';
import { readPage } from './graph-pages.ts';
import type { GraphRequests } from './graph-requests.ts';
import { markId } from './graph-sent.ts';
import { asObject } from './provider-request.ts';

/** The size of 150 MB in base64, and of the JSON around it. */
const partsBytesMax = 220 * 1024 * 1024;
const partsTimeoutMs = 120_000;
const fields =
  'subject,body,from,toRecipients,ccRecipients,replyTo,internetMessageId,internetMessageHeaders,sentDateTime,webLink';

/** The headers that thread and classify a mail. Other headers describe the original form, which is lost. */
const keptHeaders: ReadonlySet<string> = new Set([
  'in-reply-to',
  'references',
  'sender',
  'return-path',
  'delivered-to',
  'auto-submitted',
  'precedence',
  'list-id',
  'list-unsubscribe',
  'x-auto-response-suppress',
  'x-failed-recipients',
  'authentication-results',
  'x-kontor-message-id',
]);

/**
 * @param path the path of the message
 * @returns a mail (RFC 5322) with a note at the end that links to the original and names the missing files
 * Throws a `ProviderFault`.
 */
export async function rebuildMail(requests: GraphRequests, path: string): Promise<Buffer> {
  const limits = { answerBytesMax: partsBytesMax, timeoutMs: partsTimeoutMs };
  // Graph shows no headers of sent mail. So we recognise our own mail by the property that we set on its draft.
  const query = new URLSearchParams({
    $select: fields,
    $expand: `singleValueExtendedProperties($filter=id eq '${markId}')`,
  });
  const message = await requests.askJson(`${path}?${query}`, limits);
  const { attachments, missing } = await readAttachments(requests, path);
  const { contentType, content } = asObject(message.body) ?? {};
  const note = noteOf(message.webLink, missing);
  const said = typeof content === 'string' ? content : '';
  const isHtml = String(contentType).toLowerCase() === 'html';
  const sentAt = new Date(String(message.sentDateTime));
  const composer = new MailComposer({
    from: addressesIn([message.from]),
    to: addressesIn(message.toRecipients),
    cc: addressesIn(message.ccRecipients),
    replyTo: addressesIn(message.replyTo),
    subject: typeof message.subject === 'string' ? message.subject : '',
    ...(typeof message.internetMessageId === 'string' && { messageId: message.internetMessageId }),
    ...(!Number.isNaN(sentAt.getTime()) && { date: sentAt }),
    headers: [...headersIn(message.internetMessageHeaders), ...markIn(message.singleValueExtendedProperties)],
    ...(isHtml ? { html: `${said}<p>${inHtml(note)}</p>` } : { text: `${said}\n\n${note}` }),
    attachments,
    newline: 'win',
    // Text in a mail must not make the composer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return Buffer.concat([Buffer.from(rebuiltLine), await composer.compile().build()]);
}

type File = { filename: string; content: Buffer; contentType?: string; cid?: string };

async function readAttachments(
  requests: GraphRequests,
  path: string,
): Promise<{ attachments: File[]; missing: string[] }> {
  const attachments: File[] = [];
  const missing: string[] = [];
  try {
    for (const item of (await readPage(requests, `${path}/attachments`)).items) {
      const { name, contentBytes, contentType, contentId } = item;
      const filename = typeof name === 'string' && name !== '' ? name : 'file';
      if (typeof contentBytes !== 'string') missing.push(filename);
      else
        attachments.push({
          filename,
          content: Buffer.from(contentBytes, 'base64'),
          ...(typeof contentType === 'string' && { contentType }),
          ...(typeof contentId === 'string' && contentId !== '' && { cid: contentId }),
        });
    }
  } catch (error) {
    if (!(error instanceof ProviderFault && (error.kind === 'unavailable' || error.kind === 'refused'))) throw error;
    missing.push('its attachments');
  }
  return { attachments, missing };
}

function noteOf(webLink: unknown, missing: readonly string[]): string {
  const lacks = missing.length === 0 ? '' : ` Not included: ${missing.join(', ')}.`;
  const link = typeof webLink === 'string' && /^https:\/\/\S+$/.test(webLink) ? ` Original: ${webLink}` : '';
  return `[Microsoft 365 could not give this mail in its original form. It was rebuilt from its parts.${lacks}${link}]`;
}

function inHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function addressesIn(list: unknown): { name: string; address: string }[] {
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    const { name, address } = asObject(asObject(entry)?.emailAddress) ?? {};
    if (typeof address !== 'string' || address === '') return [];
    return [{ name: typeof name === 'string' && name !== address ? name : '', address }];
  });
}

/** Restores the header of our own mail from the property of its draft. */
function markIn(list: unknown): { key: string; value: string }[] {
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    const { id, value } = asObject(entry) ?? {};
    return id === markId && typeof value === 'string' ? [{ key: ownIdHeader, value: `<${value}>` }] : [];
  });
}

function headersIn(list: unknown): { key: string; value: string }[] {
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    const { name, value } = asObject(entry) ?? {};
    const isKept = typeof name === 'string' && typeof value === 'string' && keptHeaders.has(name.toLowerCase());
    return isKept ? [{ key: name, value: value.replace(/(?<!\s)\s*[\r\n]\s*/g, ' ') }] : [];
  });
}
