/** Finds the original mail that a report encloses as a part or pastes into its text. */
import type { ParsedMail } from '../mail.ts';
import { ownIdHeader, readMessageIds } from '../message-ids.ts';

export type EnclosedMail = {
  messageId: string | null;
  /** Our Message-ID from `ownIdHeader`, if the mail is ours. A provider may have replaced the Message-ID header. */
  ownId: string | null;
  /** The Message-IDs that the mail answers, newest first. */
  threadIds: string[];
  /** The addresses of the mail's To and Cc headers. */
  recipients: string[];
  /** The text of the report before the pasted mail. */
  ownText: string;
};

const ENCLOSED_TYPES =
  /^(?:message\/(?:rfc822|global|rfc822-headers|global-headers|partial)|text\/(?:rfc822-headers?|rfc822))$/;
const HEADER_CHARS_MAX = 100_000;

/** Decodes a part of a report as UTF-8, because headers and status fields are ASCII or UTF-8. */
export function partText(content: Uint8Array): string {
  return new TextDecoder().decode(content.subarray(0, HEADER_CHARS_MAX));
}

/**
 * Finds the mail that a report is about.
 * @param mail the report. Its own Message-ID never counts as the original's.
 * Never throws.
 */
export function findEnclosedMail(mail: ParsedMail): EnclosedMail {
  const text = mail.text.slice(0, HEADER_CHARS_MAX);
  const pasted = pastedHeaderAt(text);
  const sources = mail.attachments
    .filter((part) => ENCLOSED_TYPES.test(part.contentType))
    .map((part) => partText(part.content));
  if (pasted >= 0) sources.push(text.slice(pasted));
  const header = unfold(sources[0] ?? '');
  return {
    messageId: sources.map((source) => messageIdIn(unfold(source), mail.messageId)).find((id) => id !== null) ?? null,
    ownId: idsIn(header, ownIdHeader).at(0) ?? null,
    threadIds: [...idsIn(header, 'In-Reply-To'), ...idsIn(header, 'References').reverse()],
    recipients: [...header.matchAll(/^[>\s]{0,3}(?:To|Cc)[ \t]*:(.{1,2000})$/gim)]
      .flatMap((match) => [...(match[1] ?? '').matchAll(/[^\s<>;:,"'()[\]]{1,64}@[^\s<>;:,"'()[\]]{1,255}/g)])
      .map((match) => match[0])
      .slice(0, 50),
    ownText: pasted >= 0 ? text.slice(0, pasted) : text,
  };
}

const HEADER_LINE = /^[>\s|]{0,4}([A-Za-z][A-Za-z0-9-]{1,60})[ \t]{0,4}:/;
const MAIL_HEADERS = new RegExp(
  '^(?:received|return-path|message-id|mime-version|from|to|cc|subject|date|' +
    '(?:x-[a-z-]+-)?dkim-signature|delivered-to|content-type|reply-to|envelope-to|' +
    'user-agent|x-mailer|x-received|sender)$',
  'i',
);

/**
 * Finds where the pasted headers of the original begin. Four header lines in a row count if two are usual mail headers,
 * because status fields look like headers too. Two lines suffice with a Message-ID. Returns -1 for no such lines.
 */
function pastedHeaderAt(text: string): number {
  let at = 0;
  let run = { start: -1, lines: 0, usual: 0, hasId: false };
  for (const line of text.split('\n')) {
    const name = HEADER_LINE.exec(line)?.[1];
    if (name !== undefined && (run.lines > 0 || MAIL_HEADERS.test(name))) {
      run = {
        start: run.lines === 0 ? at : run.start,
        lines: run.lines + 1,
        usual: run.usual + (MAIL_HEADERS.test(name) ? 1 : 0),
        hasId: run.hasId || /^message-id$/i.test(name),
      };
      if ((run.lines >= 4 && run.usual >= 2) || (run.lines >= 2 && run.hasId)) return run.start;
    } else if (run.lines > 0 && !/^[\s>|]{1,8}\S/.test(line)) {
      run = { start: -1, lines: 0, usual: 0, hasId: false };
    }
    at += line.length + 1;
  }
  return -1;
}

function unfold(header: string): string {
  return header.replace(/\r\n?/g, '\n').replace(/\n[ \t]+/g, ' ');
}

function messageIdIn(header: string, ownId: string | null): string | null {
  for (const match of header.matchAll(/^[>\s|]{0,4}(?:Original-)?Message-ID[ \t]*:[ \t]*(.{3,1000})$/gim)) {
    const id = readMessageIds(match[1] ?? '')[0];
    if (id !== undefined && id !== ownId) return id;
  }
  return null;
}

/** @param header unfolded */
function idsIn(header: string, name: string): string[] {
  const value = new RegExp(`^[>\\s|]{0,4}${name}[ \\t]*:(.{3,20000})$`, 'im').exec(header)?.[1];
  return value === undefined ? [] : readMessageIds(value);
}
