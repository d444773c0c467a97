/** A Gmail mailbox: mails, threads, labels, and the history of their changes. */
import type { VirtualClock } from '../clock.ts';
import { bareSubject } from '../customer-mail.ts';
import { type Random, randomOf } from '../random.ts';
import { type MailHead, readHead } from '../read-mail.ts';

export type StoredMail = {
  id: string;
  threadId: string;
  raw: Buffer;
  head: MailHead;
  labelIds: string[];
  historyId: number;
  /** When Google received the mail, in milliseconds since 1970. */
  internalDate: number;
  /** Orders mails of the same instant. */
  sequence: number;
};

export type HistoryKind = 'messageAdded' | 'messageDeleted' | 'labelAdded' | 'labelRemoved';

/** One change of one mail. */
export type HistoryRecord = {
  id: number;
  mail: { id: string; threadId: string; labelIds: string[] };
  added?: true;
  deleted?: true;
  labelsAdded?: string[];
  labelsRemoved?: string[];
};

export type Watch = {
  topicName: string;
  labelIds: string[];
  isExclusion: boolean;
  madeAt: number;
  expiresAt: number;
  /** A later watch made this watch `replaced`. A watch lapses silently. */
  state: 'active' | 'lapsed' | 'replaced' | 'stopped';
};

export type Mailbox = {
  address: string;
  /** Further addresses that the user may send as. `pending` until the user confirms the address. */
  sendAs: { sendAsEmail: string; verificationStatus: 'accepted' | 'pending' }[];
  /** The only scopes that the user grants. Null: all that a client asks for. */
  scopes: string[] | null;
  mails: Map<string, StoredMail>;
  /** By `internalDate`, oldest first. */
  inOrder: StoredMail[];
  byMessageId: Map<string, StoredMail>;
  history: HistoryRecord[];
  historyId: number;
  /** Gmail has forgotten the history before this id. */
  historyFloor: number;
  /** In the order of creation. */
  watches: Watch[];
  notifiedAt: number | null;
  quota: { since: number; units: number };
  random: Random;
};

export type NewMail = {
  raw: Buffer;
  labelIds: readonly string[];
  /** Null starts a new thread. Undefined takes the thread that the header names. */
  threadId?: string | null | undefined;
  internalDate: number;
};

/** Called for each change of a mail. `labelIds` are the labels before the change and those it added. */
export type OnChange = (mailbox: Mailbox, labelIds: readonly string[]) => void;

export function makeMailbox(address: string, scopes: string[] | null, seed: readonly number[]): Mailbox {
  const random = randomOf(...seed);
  const historyId = 1_000 + random.below(100_000);
  return {
    address,
    sendAs: [],
    scopes,
    mails: new Map(),
    inOrder: [],
    byMessageId: new Map(),
    history: [],
    historyId,
    historyFloor: historyId,
    watches: [],
    notifiedAt: null,
    quota: { since: 0, units: 0 },
    random,
  };
}

export function addMail(mailbox: Mailbox, mail: NewMail, onChange: OnChange): StoredMail {
  const head = readHead(mail.raw);
  const id = newMailId(mailbox);
  const threadId = (mail.threadId === undefined ? threadOf(mailbox, head) : mail.threadId) ?? id;
  const { raw, internalDate } = mail;
  const labelIds = [...mail.labelIds];
  const sequence = mailbox.historyId;
  const stored: StoredMail = { id, threadId, raw, head, labelIds, historyId: 0, internalDate, sequence };
  mailbox.mails.set(id, stored);
  let place = mailbox.inOrder.length;
  while (place > 0 && (mailbox.inOrder[place - 1]?.internalDate ?? 0) > internalDate) place--;
  mailbox.inOrder.splice(place, 0, stored);
  if (head.messageId !== null && !mailbox.byMessageId.has(head.messageId))
    mailbox.byMessageId.set(head.messageId, stored);
  note(mailbox, stored, { added: true });
  onChange(mailbox, stored.labelIds);
  return stored;
}

/** Adds missing labels and removes present labels. Writes no record if nothing changes. */
export function changeLabels(
  mailbox: Mailbox,
  mail: StoredMail,
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
  onChange: OnChange,
): void {
  const added = add.filter((label) => !mail.labelIds.includes(label));
  const removed = remove.filter((label) => mail.labelIds.includes(label));
  if (added.length + removed.length === 0) return;
  const touched = [...mail.labelIds, ...added];
  mail.labelIds = touched.filter((label) => !removed.includes(label));
  note(mailbox, mail, {
    ...(added.length > 0 && { labelsAdded: added }),
    ...(removed.length > 0 && { labelsRemoved: removed }),
  });
  onChange(mailbox, touched);
}

/** Deletes for good, without the trash. */
export function removeMail(mailbox: Mailbox, mail: StoredMail, onChange: OnChange): void {
  mailbox.mails.delete(mail.id);
  mailbox.inOrder.splice(mailbox.inOrder.indexOf(mail), 1);
  const { messageId } = mail.head;
  if (messageId !== null && mailbox.byMessageId.get(messageId) === mail) mailbox.byMessageId.delete(messageId);
  note(mailbox, mail, { deleted: true });
  onChange(mailbox, mail.labelIds);
}

/** The thread of an arriving mail: that of a mail it answers, if the subjects match. */
function threadOf(mailbox: Mailbox, head: MailHead): string | null {
  for (const id of [...head.inReplyTo, ...head.references.toReversed()]) {
    const known = mailbox.byMessageId.get(id);
    if (known !== undefined && isSameSubject(known.head, head)) return known.threadId;
  }
  return null;
}

/** The thread of a sent mail: the requested thread if header and subject match it, else a new thread. */
export function threadOfSent(mailbox: Mailbox, head: MailHead, asked: string | undefined): string | null {
  if (asked === undefined) return null;
  const named = [...head.inReplyTo, ...head.references];
  const fits = named.some((id) => {
    const known = mailbox.byMessageId.get(id);
    return known !== undefined && known.threadId === asked && isSameSubject(known.head, head);
  });
  return fits ? asked : null;
}

/** The watch that still runs, if any. */
export function activeWatch(mailbox: Mailbox, clock: VirtualClock): Watch | undefined {
  const watch = mailbox.watches.at(-1);
  if (watch?.state === 'active' && watch.expiresAt <= clock.now().getTime()) watch.state = 'lapsed';
  return watch?.state === 'active' ? watch : undefined;
}

function isSameSubject(one: MailHead, other: MailHead): boolean {
  return bareSubject(one.subject).toLowerCase() === bareSubject(other.subject).toLowerCase();
}

/** History ids grow with gaps, as Gmail's do. */
function note(mailbox: Mailbox, mail: StoredMail, what: Omit<HistoryRecord, 'id' | 'mail'>): void {
  mailbox.historyId += 1 + mailbox.random.below(40);
  mail.historyId = mailbox.historyId;
  const { id, threadId, labelIds } = mail;
  mailbox.history.push({ id: mailbox.historyId, mail: { id, threadId, labelIds: [...labelIds] }, ...what });
}

function newMailId(mailbox: Mailbox): string {
  for (;;) {
    const half = () => mailbox.random.below(2 ** 32).toString(16);
    const id = `1${half().padStart(8, '0').slice(1)}${half().padStart(8, '0')}`;
    if (!mailbox.mails.has(id)) return id;
  }
}
