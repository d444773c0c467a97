/** Reads what an answer repeats of the help desk that sent the mail before it. */
import { createHash } from 'node:crypto';
import { isGenericSubject, normaliseSubject, stripReplyPrefixes } from './threading.ts';

export const deskSources = ['freescout', 'front', 'help-scout', 'osticket', 'zammad', 'zendesk'] as const;
type DeskSource = (typeof deskSources)[number];

/** By what a help desk named a conversation, or one of its mails. */
export type DeskToken = { source: DeskSource; token: string };

/** A token that a mail may repeat, and where. `reply`: only the subject, and that the mail is an answer. */
export type DeskClue = DeskToken & { place: 'address' | 'id' | 'subject' | 'text' | 'reply' };

export type MailWithTokens = {
  /** The Message-IDs to which the mail refers, best first. */
  ids: readonly string[];
  recipients: readonly string[];
  subject: string;
  text: string;
};

/** Lists the tokens that a mail may repeat, best first. Nearly all mail has none. Linear. */
export function deskClues({ ids, recipients, subject, text }: MailWithTokens): DeskClue[] {
  const named = ids.slice(0, IDS_MAX);
  return [
    ...placed('address', recipients.slice(0, RECIPIENTS_MAX).flatMap(tokensOfAddress)),
    ...placed('id', named.flatMap(tokensOfId)),
    ...placed('subject', tokensOfSubject(subject, named)),
    ...placed('text', tokensOfText(text.slice(0, TEXT_CHARS_MAX))),
    ...placed('reply', tokensOfReply(subject)),
  ];
}

/**
 * A token of an installation. A number alone is not enough: every installation counts its own.
 * @param domain of the installation's Message-IDs
 */
export function boundToken(domain: string, token: string): string {
  return `${domain}/${token}`.toLowerCase();
}

/** The token of an id as Zendesk writes it, with or without its dash. Undefined for anything else. */
export function zendeskToken(encodedId: string): string | undefined {
  return /^[0-9a-z]{6}-?[0-9a-z]{4,6}$/i.test(encodedId) ? encodedId.replace('-', '').toLowerCase() : undefined;
}

/** For help desks whose mails have no token: a hash of the subject. Undefined for a subject that says nothing. */
export function subjectToken(subject: string): string | undefined {
  if (isGenericSubject(subject)) return undefined;
  return createHash('sha256').update(normaliseSubject(subject)).digest('hex').slice(0, 32);
}

function placed(place: DeskClue['place'], tokens: readonly DeskToken[]): DeskClue[] {
  return tokens.map((token) => ({ ...token, place }));
}

function zendesk(encodedId: string | undefined): DeskToken[] {
  const token = encodedId === undefined ? undefined : zendeskToken(encodedId);
  return token === undefined ? [] : [{ source: 'zendesk', token }];
}

/** `support+id1G7EOR-0Q2J@acme.zendesk.com` */
function tokensOfAddress(address: string): DeskToken[] {
  return zendesk(/\+id([0-9a-z]{6}-[0-9a-z]{4,6})@/i.exec(address)?.[1]);
}

/** `FS_reply-<thread>-<hash>@<domain>`, earlier without `FS_`, and `1G7EOR0Q2J_<random>_sprut@zendesk.com`. */
function tokensOfId(id: string): DeskToken[] {
  const [, thread, domain] = /^(?:fs_)?(?:auto_?)?reply-(\d{1,20})-[0-9a-f]{16,32}@([^\s@/]+)$/i.exec(id) ?? [];
  if (thread !== undefined && domain !== undefined) return [{ source: 'freescout', token: boundToken(domain, thread) }];
  return zendesk(/^([0-9a-z]{10,12})(?:_\w+)?@(?:[\w.-]{1,255}\.)?zendesk\.com$/i.exec(id)?.[1]);
}

/** `[Ticket#31001]` of Zammad, whose word can be set, and `[#123456]` of osTicket, alone and of each domain. */
function tokensOfSubject(subject: string, ids: readonly string[]): DeskToken[] {
  const numbers = [...subject.slice(0, SUBJECT_CHARS_MAX).matchAll(/\[([^[\]]{2,60})\]/g)]
    .map(([, text = '']) => text.replace(/\s+/g, '').toLowerCase())
    .filter((text) => /\d\d/.test(text) && !/[@/]/.test(text))
    .slice(0, TOKENS_MAX);
  if (numbers.length === 0) return [];
  const domains = [...new Set(ids.map((id) => id.slice(id.lastIndexOf('@') + 1)))].slice(0, TOKENS_MAX);
  return numbers.flatMap((number) =>
    [...domains.map((domain) => boundToken(domain, number)), number].flatMap((token): DeskToken[] => [
      { source: 'zammad', token },
      { source: 'osticket', token },
    ]),
  );
}

/** `[1G7EOR-0Q2J]` of Zendesk, and the Message-ID that FreeScout hides as `{#FS:…#}`. They stand in the quoted mail. */
function tokensOfText(text: string): DeskToken[] {
  const encoded = firstOf(text.matchAll(/\[([0-9A-Z]{6}-[0-9A-Z]{4,6})\]/g)).flatMap(zendesk);
  const hidden = firstOf(text.matchAll(/\{#FS:([A-Za-z0-9+/=]{16,800})#\}/g)).flatMap((base64) =>
    tokensOfId(Buffer.from(base64, 'base64').toString('latin1')),
  );
  return [...encoded, ...hidden];
}

function firstOf(matches: Iterable<RegExpMatchArray>): string[] {
  const found = new Set<string>();
  for (const [, text] of matches) {
    if (text !== undefined) found.add(text);
    if (found.size >= TOKENS_MAX) break;
  }
  return [...found];
}

function tokensOfReply(subject: string): DeskToken[] {
  const isAnswer = stripReplyPrefixes(subject) !== subject.replace(/\s+/gu, ' ').trim();
  const token = isAnswer ? subjectToken(subject) : undefined;
  return token === undefined
    ? []
    : [
        { source: 'help-scout', token },
        { source: 'front', token },
      ];
}

const IDS_MAX = 20;
const RECIPIENTS_MAX = 50;
const TOKENS_MAX = 8;
const SUBJECT_CHARS_MAX = 1_000;
const TEXT_CHARS_MAX = 200_000;
