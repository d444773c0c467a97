import type { Attachment, Ticket } from '../../api/client.ts';
import type { Draft } from '../queries.ts';

export type Quote = 'none' | 'last' | 'thread';

/** What a new ticket starts as. */
export type Start = Pick<Ticket, 'status' | 'assigneeId' | 'tags'>;

export const startByDefault: Start = { status: 'open', assigneeId: null, tags: [] };

/** A text that a member has written and not sent. Without chosen recipients it goes to those of the ticket. */
export type DraftContent = {
  subject: string;
  body: string;
  /** Null for plain text. */
  bodyHtml: string | null;
  to: string[];
  cc: string[];
  bcc: string[];
  /**
   * Whether the writer has chosen the recipients. Otherwise they are those of the ticket. The service does not store
   * it.
   */
  areRecipientsChosen: boolean;
  files: Attachment[];
  /** The mails to quote below an answer. */
  quote: Quote;
  /** The id of the message to forward. */
  forwardOf: string | null;
  mailboxId: string | null;
  /** The address of the mailbox from which the mail leaves. Null: the usual one. */
  fromAddress: string | null;
  /** The newest message that the writer has seen. */
  lastSeenMessageId: string | null;
  /** The saved reply that the text comes from, and whether sending runs its actions. */
  savedReplyId: string | null;
  runActions: boolean;
  /** Null: as the service makes a ticket. */
  startsAs: Start | null;
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
  fromAddress: null,
  lastSeenMessageId: null,
  savedReplyId: null,
  runActions: false,
  startsAs: null,
};

type DraftState = 'empty' | 'saved' | 'unsaved' | 'conflict';

export type DraftSnapshot = {
  content: DraftContent;
  state: DraftState;
  /** In a conflict, the text that another tab has saved; null where it has sent or discarded the draft. */
  other: DraftContent | null;
  /** Grows when the text changes other than by typing, so that the editor must reload it. */
  revision: number;
};

export function contentOf({ attachments, ...draft }: Draft): DraftContent {
  const { subject, body, bodyHtml, to, cc, bcc, mailboxId, lastSeenMessageId, forwardOf } = draft;
  const { fromAddress, savedReplyId, runActions, startsAs } = draft;
  const kept = { subject, body, bodyHtml, to, cc, bcc, mailboxId, lastSeenMessageId, forwardOf, files: attachments };
  // A forwarded message has no default recipients.
  const areRecipientsChosen = to.length + cc.length + bcc.length > 0 || forwardOf !== null;
  return {
    ...nothingWritten,
    ...kept,
    fromAddress,
    savedReplyId,
    runActions,
    startsAs,
    quote: draft.quote ?? nothingWritten.quote,
    areRecipientsChosen,
  };
}

/** The draft in the shape of the API. */
export function bodyOf(content: DraftContent) {
  const { files, bodyHtml, body, to, cc, bcc, lastSeenMessageId, savedReplyId, runActions } = content;
  const { fromAddress } = content;
  return {
    ...{ body, to, cc, bcc, fromAddress, lastSeenMessageId, savedReplyId, runActions },
    ...(bodyHtml === null ? {} : { bodyHtml }),
    attachmentIds: files.map(({ id }) => id),
  };
}

/** The same text with copies of its files, in the same order. Pictures in the text refer to the copies. */
export function withFiles(content: DraftContent, copies: Attachment[]): DraftContent {
  const bodyHtml = content.files.reduce((html, { contentId }, index) => {
    const copy = copies[index]?.contentId;
    return contentId === null || copy == null ? html : html?.replaceAll(`"cid:${contentId}"`, `"cid:${copy}"`);
  }, content.bodyHtml ?? undefined);
  return { ...content, bodyHtml: bodyHtml ?? null, files: copies };
}

/** Whether a draft has nothing worth keeping. Recipients alone do not count: they are quickly chosen again. */
export function isNothing({ body, files, subject, forwardOf, startsAs }: DraftContent): boolean {
  const hasText = body.trim() !== '' || subject.trim() !== '';
  return !hasText && files.length === 0 && forwardOf === null && !isChosen(startsAs);
}

function isChosen(startsAs: Start | null): boolean {
  const { status, assigneeId, tags } = startsAs ?? startByDefault;
  return status !== startByDefault.status || assigneeId !== null || tags.length > 0;
}

/** Browsers allow at most 64 KiB of `keepalive` requests, which outlive their page. */
const keepaliveBytesMax = 60_000;

/** Whether a request with this draft can use `keepalive`. */
export function isSmall({ body, bodyHtml }: DraftContent): boolean {
  return body.length + (bodyHtml?.length ?? 0) < keepaliveBytesMax;
}

/** Compares the plain text and not the HTML, because the service cleans HTML. */
export function isSameContent(one: DraftContent, other: DraftContent): boolean {
  return comparable(one) === comparable(other);
}

function comparable({ files, bodyHtml: _, lastSeenMessageId: __, areRecipientsChosen: ___, ...rest }: DraftContent) {
  return JSON.stringify([files.map(({ id }) => id), Object.entries(rest).sort()]);
}

/** Joins two texts, the second below the first. Other fields are those of the first, unless it has only text. */
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

/** Whether two texts can be joined: the writer need not choose between their recipients, subjects or mailboxes. */
export function areJoinable(first: DraftContent, second: DraftContent): boolean {
  const rest = { body: '', files: [] };
  return isTextOnly(first) || isTextOnly(second) || isSameContent({ ...first, ...rest }, { ...second, ...rest });
}

/**
 * The text here below what the service has put above the saved one, as it does with a scheduled reply that comes back.
 * @returns undefined where the draft is not that, or the writer has also changed more than text and files
 */
export function belowReturned(draft: DraftContent, saved: DraftContent, here: DraftContent): DraftContent | undefined {
  const text = above(draft.body, saved.body, '\n\n');
  const hasHtml = draft.bodyHtml !== null;
  const html = hasHtml && saved.bodyHtml !== null ? above(draft.bodyHtml ?? '', saved.bodyHtml, '<br />') : null;
  const rest = { body: '', files: [] };
  const isOnlyText = isSameContent({ ...here, ...rest }, { ...saved, ...rest });
  if (!isOnlyText || text === undefined || html === undefined || (hasHtml && html === null)) return undefined;
  const files = draft.files.filter(({ id }) => !saved.files.some((file) => file.id === id));
  return joined({ ...draft, body: text, bodyHtml: html, files }, here);
}

function above(whole: string, end: string, gap: string): string | undefined {
  return end !== '' && whole.endsWith(gap + end) ? whole.slice(0, -gap.length - end.length) : undefined;
}

/** Whether a draft has only text and files. */
function isTextOnly(content: DraftContent): boolean {
  return isSameContent({ ...content, body: '', files: [] }, nothingWritten);
}

function htmlOf({ body, bodyHtml }: DraftContent): string {
  return bodyHtml ?? textToHtml(body);
}

/** One paragraph for each line, as in the editor. */
function textToHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .split('\n')
    .map((line) => `<p>${line}</p>`)
    .join('');
}

/** The saved reply of a draft, in the shape of a new message. */
export function replyOf({ savedReplyId, runActions }: DraftContent) {
  return savedReplyId === null ? {} : { savedReplyId, runActions };
}

/** Variables of people that a saved reply could not fill. The service fills others when it sends the text. */
export function missingIn({ body, savedReplyId }: DraftContent): string[] {
  if (savedReplyId === null) return [];
  return [...new Set([...body.matchAll(/\{\{\s*((?:contact|agent)\.\w+)\s*\}\}/g)].map(([, name = '']) => name))];
}

export function stateOf(content: DraftContent): DraftState {
  return isNothing(content) ? 'empty' : 'saved';
}
