/** Carries mail between the mailboxes here and addresses outside. */
import type { VirtualClock } from '../clock.ts';
import {
  absenceNote,
  answerTo,
  type BounceOptions,
  bounceOf,
  type Habit,
  type MailFields,
  withHeader,
  writeMail,
} from '../customer-mail.ts';
import type { Random } from '../random.ts';
import { type MailHead, readHead } from '../read-mail.ts';
import { addMail, changeLabels, type Mailbox, type OnChange, type StoredMail, threadOfSent } from './mailbox.ts';

/** A mail that arrived at an outside address. */
export type ReceivedMail = { id: string; from: string; to: string; raw: Buffer; at: string };

/** Called with mail for addresses without a mailbox here. */
export type OnOutgoing = (raw: Buffer, recipients: string[]) => unknown;

export type Placing = {
  /** In place of `INBOX` and `UNREAD`; `['SPAM']` for junk. */
  labelIds?: string[];
  /** When Google received the mail. Default: now. */
  receivedAt?: Date | string;
};

export type PostOffice = {
  deliver(mailbox: Mailbox, raw: Buffer, placing?: Placing): StoredMail;
  /** Sends through the API, which keeps the thread only if header and subject match. */
  send(mailbox: Mailbox, raw: Buffer, options: SendOptions): Promise<StoredMail>;
  /** Sends from Gmail itself, where only the header decides about the thread. */
  sendByHand(mailbox: Mailbox, raw: Buffer): Promise<StoredMail>;
  /** From outside to these recipients, or to those of the header. @returns the mails that arrived in mailboxes here */
  carry(raw: Buffer, recipients?: string[]): Promise<StoredMail[]>;
  /** For one address, or for all. */
  received(address?: string): ReceivedMail[];
  reply(receivedId: string, fields?: MailFields): Promise<StoredMail[]>;
  bounce(receivedId: string, options?: BounceOptions): Promise<StoredMail[]>;
  setHabit(address: string, habit: Habit | null): void;
};

type SendOptions = { threadId: string | undefined; rewritesMessageId: boolean };

type PostOfficeOptions = {
  clock: VirtualClock;
  random: Random;
  mailboxes: ReadonlyMap<string, Mailbox>;
  onChange: OnChange;
  onOutgoing: OnOutgoing;
};

export function openPostOffice({ clock, random, mailboxes, onChange, onOutgoing }: PostOfficeOptions): PostOffice {
  const outside = openOutside({ clock, random, onOutgoing });

  const deliver: PostOffice['deliver'] = (mailbox, raw, { labelIds = ['UNREAD', 'INBOX'], receivedAt } = {}) => {
    const internalDate = receivedAt === undefined ? clock.now().getTime() : new Date(receivedAt).getTime();
    return addMail(mailbox, { raw, labelIds, internalDate }, onChange);
  };
  /** @param copy the sender's copy: a mail to oneself is a single mail with the labels of both folders */
  const hand = async (raw: Buffer, from: string, recipients: string[], copy?: StoredMail): Promise<StoredMail[]> => {
    const carried = withHeader(raw, 'Bcc', null);
    const arrived = new Map<Mailbox, StoredMail>();
    const others: string[] = [];
    for (const recipient of new Set(recipients)) {
      const mailbox = mailboxes.get(withoutTag(recipient));
      if (mailbox === undefined) others.push(recipient);
      else if (copy !== undefined && mailbox.mails.get(copy.id) === copy)
        changeLabels(mailbox, copy, { add: ['UNREAD', 'INBOX'] }, onChange);
      else if (!arrived.has(mailbox)) arrived.set(mailbox, deliver(mailbox, carried));
    }
    const got = await outside.receive(carried, from, others);
    for (const mail of got) await followHabit(mail);
    return [...arrived.values()];
  };
  const carry: PostOffice['carry'] = (raw, recipients) => {
    const head = readHead(raw);
    return hand(raw, head.from?.email ?? '', recipients ?? recipientsOf(head));
  };
  const write = async (fields: MailFields): Promise<StoredMail[]> =>
    carry(await writeMail(fields, { to: '', date: clock.now() }));
  const followHabit = async ({ raw, to }: ReceivedMail): Promise<void> => {
    const habit = outside.habitOf(to);
    if (habit === 'bounces') await carry(bounceOf(raw, to, clock.now()));
    if (habit === 'is-absent') await write(absenceNote(raw, to));
  };

  return {
    deliver,
    carry,
    send: async (mailbox, given, { threadId, rewritesMessageId }) => {
      const permitted = withPermittedSender(mailbox, given);
      const raw = rewritesMessageId ? withHeader(permitted, 'Message-ID', googleMessageId(random)) : permitted;
      const head = readHead(raw);
      const thread = threadOfSent(mailbox, head, threadId);
      const mail = { raw, labelIds: ['SENT'], threadId: thread, internalDate: clock.now().getTime() };
      const copy = addMail(mailbox, mail, onChange);
      await hand(raw, mailbox.address, recipientsOf(head), copy);
      return copy;
    },
    sendByHand: async (mailbox, raw) => {
      const copy = addMail(mailbox, { raw, labelIds: ['SENT'], internalDate: clock.now().getTime() }, onChange);
      await hand(raw, mailbox.address, recipientsOf(copy.head), copy);
      return copy;
    },
    received: outside.received,
    reply: async (receivedId, fields) => {
      const { raw, to } = outside.find(receivedId);
      return write(answerTo(raw, to, fields));
    },
    bounce: async (receivedId, options) => {
      const { raw, to } = outside.find(receivedId);
      return carry(bounceOf(raw, to, clock.now(), options));
    },
    setHabit: outside.setHabit,
  };
}

/** People without a mailbox here: the mail that they received, and how they react. */
function openOutside({ clock, random, onOutgoing }: Pick<PostOfficeOptions, 'clock' | 'random' | 'onOutgoing'>) {
  const mails: ReceivedMail[] = [];
  const habits = new Map<string, Habit>();
  return {
    receive: async (raw: Buffer, from: string, recipients: string[]): Promise<ReceivedMail[]> => {
      const at = clock.now().toISOString();
      const got = recipients.map((to) => ({ id: `r${mails.length}-${random.below(1e9)}`, from, to, raw, at }));
      mails.push(...got);
      if (recipients.length > 0) await onOutgoing(raw, recipients);
      return got;
    },
    received: (address?: string): ReceivedMail[] =>
      mails.filter(({ to }) => address === undefined || to === address.toLowerCase()),
    find: (receivedId: string): ReceivedMail => {
      const mail = mails.find(({ id }) => id === receivedId);
      if (mail === undefined) throw new Error(`nobody received a mail ${receivedId}`);
      return mail;
    },
    habitOf: (address: string): Habit | undefined => habits.get(address),
    setHabit: (address: string, habit: Habit | null): void => {
      if (habit === null) habits.delete(address.toLowerCase());
      else habits.set(address.toLowerCase(), habit);
    },
  };
}

/** Gmail replaces a sender address that the mailbox may not use by the primary address. */
function withPermittedSender({ address, sendAs }: Mailbox, raw: Buffer): Buffer {
  const from = readHead(raw).from?.email.toLowerCase();
  const permitted = sendAs.filter(({ verificationStatus }) => verificationStatus === 'accepted');
  const isPermitted = [address, ...permitted.map(({ sendAsEmail }) => sendAsEmail.toLowerCase())].includes(from ?? '');
  return isPermitted ? raw : withHeader(raw, 'From', address);
}

export function recipientsOf({ to, cc, bcc }: MailHead): string[] {
  return [...to, ...cc, ...bcc];
}

/** Gmail delivers mail to plus addresses with any tag. */
function withoutTag(address: string): string {
  return address.toLowerCase().replace(/\+[^@]*(?=@)/, '');
}

function googleMessageId(random: Random): string {
  const part = () => random.below(2 ** 32).toString(36);
  return `<CA+${part()}${part()}=${part()}${part()}@mail.gmail.com>`;
}
