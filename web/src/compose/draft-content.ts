import type { Attachment } from '../api/client.ts';
import type { Draft } from './queries.ts';

export type Quote = 'none' | 'last' | 'thread';

/** What a member has written and not sent. Without recipients it goes to those of the ticket. */
export type DraftContent = {
  subject: string;
  body: string;
  /** Null for plain text. */
  bodyHtml: string | null;
  to: string[];
  cc: string[];
  bcc: string[];
  /** Whether the writer has chosen them; else they are those of the ticket. Not told to the service. */
  areRecipientsChosen: boolean;
  files: Attachment[];
  /** What is put below an answer. */
  quote: Quote;
  /** The message that is passed on. */
  forwardOf: string | null;
  mailboxId: string | null;
  /** The newest message that the writer has seen. */
  lastSeenMessageId: string | null;
};

export const nothingWritten: DraftContent = {
  subject: '',
  body: '',
  bodyHtml: null,
  to: [],
  cc: [],
  bcc: [],
  areRecipientsChosen: false,
  files: [],
  quote: 'last',
  forwardOf: null,
  mailboxId: null,
  lastSeenMessageId: null,
};

type DraftState = 'empty' | 'saved' | 'unsaved' | 'conflict';

export type DraftSnapshot = {
  content: DraftContent;
  state: DraftState;
  /** In a conflict what another tab has kept; null where it has sent the draft or thrown it away. */
  other: DraftContent | null;
  /** Grows when the text changes by another hand than the writer's. */
  revision: number;
};

export function contentOf({ attachments, ...draft }: Draft): DraftContent {
  const { subject, body, bodyHtml, to, cc, bcc, mailboxId, lastSeenMessageId, forwardOf } = draft;
  const kept = { subject, body, bodyHtml, to, cc, bcc, mailboxId, lastSeenMessageId, forwardOf, files: attachments };
  // What is passed on goes to nobody by itself.
  const areRecipientsChosen = to.length + cc.length + bcc.length > 0 || forwardOf !== null;
  return { ...nothingWritten, ...kept, quote: draft.quote ?? nothingWritten.quote, areRecipientsChosen };
}

/** As the API takes it. */
export function bodyOf({ files, bodyHtml, body, to, cc, bcc, lastSeenMessageId }: DraftContent) {
  return {
    ...{ body, to, cc, bcc, lastSeenMessageId },
    ...(bodyHtml === null ? {} : { bodyHtml }),
    attachmentIds: files.map(({ id }) => id),
  };
}

/** The same text with copies of its files, in their order. Pictures in it are named by the copies. */
export function withFiles(content: DraftContent, copies: Attachment[]): DraftContent {
  const bodyHtml = content.files.reduce((html, { contentId }, index) => {
    const copy = copies[index]?.contentId;
    return contentId === null || copy == null ? html : html?.replaceAll(`"cid:${contentId}"`, `"cid:${copy}"`);
  }, content.bodyHtml ?? undefined);
  return { ...content, bodyHtml: bodyHtml ?? null, files: copies };
}

/** Recipients alone are not worth keeping: they are chosen again in a moment. */
export function isNothing({ body, files, subject, forwardOf }: DraftContent): boolean {
  return body.trim() === '' && files.length === 0 && subject.trim() === '' && forwardOf === null;
}

/** Browsers carry no more than 64 KiB of requests that outlive their page. */
const keepaliveBytesMax = 60_000;

/** Whether a request with it outlives its page. */
export function isSmall({ body, bodyHtml }: DraftContent): boolean {
  return body.length + (bodyHtml?.length ?? 0) < keepaliveBytesMax;
}

/** The service cleans HTML, so the words tell whether two texts are one. */
export function isSameContent(one: DraftContent, other: DraftContent): boolean {
  return comparable(one) === comparable(other);
}

function comparable({ subject, body, to, cc, bcc, files, mailboxId, quote, forwardOf }: DraftContent): string {
  return JSON.stringify([subject, body, to, cc, bcc, files.map(({ id }) => id), mailboxId, quote, forwardOf]);
}

/** Two texts, one below the other. Recipients and the rest are those of the first, unless it has text alone. */
export function joined(first: DraftContent, second: DraftContent): DraftContent {
  if (isNothing(second)) return first;
  if (isNothing(first)) return { ...first, ...second };
  const hasHtml = first.bodyHtml !== null || second.bodyHtml !== null;
  return {
    ...(isTextOnly(first) ? second : first),
    body: `${first.body}\n\n${second.body}`,
    bodyHtml: hasHtml ? htmlOf(first) + htmlOf(second) : null,
    files: [...first.files, ...second.files.filter(({ id }) => !first.files.some((file) => file.id === id))],
    lastSeenMessageId: first.lastSeenMessageId,
  };
}

/** Whether two texts can stand below each other without a choice between their recipients, subjects or mailboxes. */
export function areJoinable(first: DraftContent, second: DraftContent): boolean {
  const rest = { body: '', files: [] };
  return isTextOnly(first) || isTextOnly(second) || isSameContent({ ...first, ...rest }, { ...second, ...rest });
}

/** Whether it has words and files alone. */
function isTextOnly(content: DraftContent): boolean {
  return isSameContent({ ...content, body: '', files: [] }, nothingWritten);
}

function htmlOf({ body, bodyHtml }: DraftContent): string {
  return bodyHtml ?? textToHtml(body);
}

/** A paragraph for each line, as the editor has it. */
function textToHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .split('\n')
    .map((line) => `<p>${line}</p>`)
    .join('');
}

export function stateOf(content: DraftContent): DraftState {
  return isNothing(content) ? 'empty' : 'saved';
}
