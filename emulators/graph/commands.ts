/** The commands that steer the Graph emulator: customers' mail, people in their mail program, clock and faults. */
import { answerTo, type Habit, type MailFields, writeMail } from '../customer-mail.ts';
import type { Behaviour } from './behaviour.ts';
import { addItem, findItem, lift, makeMailbox, moveItem, touchItem } from './mailbox.ts';
import { wholeOf } from './message.ts';
import { headOf } from './mime.ts';
import { type OddMail, writeOddMail } from './odd-mail.ts';
import { type LifecycleEvent, notify, sendLifecycle } from './push.ts';
import { carry, mailboxOf, stamped } from './send.ts';
import { endSubscription, expireSubscriptions, removeSubscription, requireReauthorization } from './subscriptions.ts';
import { expireAccess, giveRefresh, revoke } from './tokens.ts';
import type {
  DeltaReset,
  Fault,
  FolderName,
  Item,
  Mailbox,
  OutgoingMail,
  Push,
  RequestLine,
  Subscription,
  World,
} from './world.ts';

type Placed = { id: string; internetMessageId: string; conversationId: string };
type Kept = Placed & { folder: FolderName; subject: string; isDraft: boolean; isRead: boolean; receivedAt: Date };
type DeliverOptions = { folder?: FolderName; receivedAt?: Date | string };

export type Commands = ReturnType<typeof makeCommands>;

export function makeCommands(world: World) {
  return {
    ...mailboxCommands(world),
    ...tokenCommands(world),
    ...customerCommands(world),
    ...personCommands(world),
    ...subscriptionCommands(world),
    ...faultCommands(world),
    ...logCommands(world),
  };
}

function mailboxCommands(world: World) {
  return {
    addMailbox({ address, displayName, scopes }: { address: string; displayName?: string; scopes?: string[] }) {
      const { userId } = makeMailbox(world, address, displayName);
      return { address, userId, refreshToken: giveRefresh(world, { address, ...(scopes && { scopes }) }) };
    },
    /** As when an administrator changes the primary address: the old address stays as an alias. */
    rename(address: string, to: string): void {
      const mailbox = mailboxAt(world, address);
      mailbox.aliases.push(mailbox.address);
      mailbox.address = to;
      world.mailboxes.set(to.toLowerCase(), mailbox);
    },
    addAlias(address: string, alias: string): void {
      mailboxAt(world, address).aliases.push(alias);
      world.mailboxes.set(alias.toLowerCase(), mailboxAt(world, address));
    },
    /** Gives an account full access to a mailbox and "Send as". `null` takes both away. */
    share(address: string, account: string, rights: { sendsAs: boolean } | null = { sendsAs: true }): void {
      const { delegates } = mailboxAt(world, address);
      if (rights === null) delegates.delete(account.toLowerCase());
      else delegates.set(account.toLowerCase(), rights);
    },
    /** The mails of a mailbox, oldest first. */
    messages: (address: string, folder?: FolderName): Kept[] =>
      [...new Set(mailboxAt(world, address).items.values())].flatMap((item) =>
        item.folder === null || (folder !== undefined && item.folder !== folder) ? [] : [kept(item, item.folder)],
      ),
    raw(address: string, id: string): Buffer {
      const item = findItem(mailboxAt(world, address), id);
      if (item === undefined) throw new Error(`no mail ${id} in ${address}`);
      return wholeOf(item);
    },
    /** Makes Graph refuse all delta links issued so far. */
    resetDelta(address: string, how: DeltaReset = '410'): void {
      const mailbox = mailboxAt(world, address);
      mailbox.deltaEpoch++;
      mailbox.deltaReset = how;
    },
  };
}

function tokenCommands(world: World) {
  return {
    /** A new consent, as after `revoke`. */
    giveRefreshToken: (address: string): string => giveRefresh(world, { address: mailboxAt(world, address).address }),
    /** Revokes every token of the mailbox. */
    revoke: (address: string): void => revoke(world, address),
    /** Expires the mailbox's access tokens. */
    expireAccess: (address: string): void => expireAccess(world, address),
  };
}

function customerCommands(world: World) {
  return {
    /** Delivers a customer's mail. @returns its immutable id and its id in the mailbox */
    async deliver(address: string, mail: Buffer | MailFields, options: DeliverOptions = {}): Promise<Placed> {
      const mailbox = mailboxAt(world, address);
      const { folder = 'inbox', receivedAt = world.clock.now() } = options;
      const raw = stamped(world, await bytesOf(world, mail, mailbox), mailbox.address);
      return placed(addItem(world, mailbox, { raw, folder, receivedAt: new Date(receivedAt) }));
    },
    async deliverOdd(address: string, kind: OddMail): Promise<Placed> {
      const mailbox = mailboxAt(world, address);
      const raw = await writeOddMail(kind, { to: mailbox.address, date: world.clock.now() });
      return placed(addItem(world, mailbox, { raw, folder: 'inbox' }));
    },
    /** Mail to outside addresses, oldest first. */
    received: (address?: string): OutgoingMail[] =>
      address === undefined
        ? [...world.outgoing]
        : world.outgoing.filter(({ to }) => to.toLowerCase() === address.toLowerCase()),
    /** The customer who received this mail answers it. @param id of the received mail */
    async reply(id: string, fields: MailFields = {}): Promise<Placed> {
      const mail = world.outgoing.find((outgoing) => outgoing.id === id);
      if (mail === undefined) throw new Error(`nothing received as ${id}`);
      const mailbox = mailboxAt(world, mail.from);
      const raw = await bytesOf(world, answerTo(mail.raw, mail.to, fields), mailbox);
      return placed(addItem(world, mailbox, { raw: stamped(world, raw, mailbox.address), folder: 'inbox' }));
    },
    /**
     * Delivers a mail from another emulator to the recipients' mailboxes here. @param recipients default: those of the
     * header
     */
    carry(raw: Buffer, recipients?: readonly string[]): Placed[] {
      const { to, cc } = headOf(raw);
      const mailboxes = (recipients ?? [...to, ...cc]).flatMap((email) => mailboxOf(world, email) ?? []);
      return [...new Set(mailboxes)].map((mailbox) =>
        placed(addItem(world, mailbox, { raw: stamped(world, raw, mailbox.address), folder: 'inbox' })),
      );
    },
    setHabit(address: string, habit: Habit | null): void {
      if (habit === null) world.habits.delete(address.toLowerCase());
      else world.habits.set(address.toLowerCase(), habit);
    },
  };
}

/** Actions of the mailbox's user in another mail program. */
function personCommands(world: World) {
  return {
    /** Sends a mail by hand, with a copy in Sent Items, without the service. */
    async sendByHand(address: string, mail: Buffer | MailFields): Promise<Placed> {
      const mailbox = mailboxAt(world, address);
      const raw = await bytesOf(world, Buffer.isBuffer(mail) ? mail : { from: mailbox.address, ...mail }, mailbox);
      const item = addItem(world, mailbox, { raw, folder: 'sentitems', isRead: true });
      const { to, cc, bcc } = headOf(raw);
      carry(world, mailbox, raw, [...new Set([...to, ...cc, ...bcc])]);
      return placed(item);
    },
    async saveDraft(address: string, mail: Buffer | MailFields): Promise<Placed> {
      const mailbox = mailboxAt(world, address);
      const raw = await bytesOf(world, Buffer.isBuffer(mail) ? mail : { from: mailbox.address, ...mail }, mailbox);
      return placed(addItem(world, mailbox, { raw, folder: 'drafts', isDraft: true, isRead: true }));
    },
    move(address: string, id: string, folder: FolderName): Placed {
      const { mailbox, item } = itemAt(world, address, id);
      moveItem(world, mailbox, item, folder);
      return placed(item);
    },
    /** Deletes for good. */
    remove(address: string, id: string): void {
      const { mailbox, item } = itemAt(world, address, id);
      lift(world, mailbox, item);
    },
    markRead(address: string, id: string, isRead = true): void {
      const { mailbox, item } = itemAt(world, address, id);
      item.isRead = isRead;
      touchItem(world, mailbox, item);
    },
  };
}

function subscriptionCommands(world: World) {
  const subscriptionsOf = (ids: string[] | undefined) =>
    [...world.subscriptions.values()].filter(({ id }) => ids === undefined || ids.includes(id));
  return {
    /** Live and ended subscriptions, oldest first. */
    subscriptions(): Omit<Subscription, 'forgetLead' | 'held'>[] {
      expireSubscriptions(world);
      const all = [...world.ended, ...world.subscriptions.values()];
      return all.map(({ forgetLead: _, held: __, ...shown }) => shown);
    },
    /** @param ids of the subscriptions; default: all */
    lifecycle(event: LifecycleEvent, ids?: string[]): void {
      for (const subscription of subscriptionsOf(ids)) {
        if (event === 'missed') sendLifecycle(world, [subscription], event);
        else if (event === 'subscriptionRemoved') removeSubscription(world, subscription);
        else requireReauthorization(world, subscription);
      }
    },
    /** Ends a subscription silently. */
    dropSubscription(id: string): void {
      for (const subscription of subscriptionsOf([id])) endSubscription(world, subscription, 'expired');
    },
    /**
     * Notifies of a change that did not happen. `members` replace parts of the notification: a wrong clientState,
     * another id.
     */
    forge(subscriptionId: string, members: Record<string, unknown> = {}): void {
      for (const subscription of subscriptionsOf([subscriptionId])) {
        const { clientState } = subscription;
        const id = 'AAkALgforged=';
        const resourceData = { '@odata.type': '#Microsoft.Graph.Message', id };
        const body = {
          subscriptionId,
          clientState,
          changeType: 'created',
          resource: `Users/x/Messages/${id}`,
          resourceData,
        };
        notify(world, { subscription, body: { ...body, ...members } });
      }
    },
    pushes: (): Push[] => [...world.pushes],
  };
}

function faultCommands(world: World) {
  return {
    setFault: (fault: Fault): void => void world.faults.push({ ...fault }),
    clearFaults: (): void => void world.faults.splice(0),
    behave: (changes: Partial<Behaviour>): Behaviour => Object.assign(world.behaviour, changes),
    advance: (ms: number): Promise<void> => world.clock.advance(ms),
    now: (): Date => world.clock.now(),
  };
}

function logCommands(world: World) {
  return {
    /** Requests so far, without those to `/control`. */
    requests: (): RequestLine[] => [...world.requests],
    misuses: (): string[] => [...world.misuses],
    clearLogs(): void {
      for (const log of [world.pushes, world.requests, world.misuses]) log.splice(0);
    },
  };
}

function mailboxAt(world: World, address: string): Mailbox {
  const mailbox = world.mailboxes.get(address.toLowerCase());
  if (mailbox === undefined) throw new Error(`no mailbox ${address}`);
  return mailbox;
}

function itemAt(world: World, address: string, id: string): { mailbox: Mailbox; item: Item } {
  const mailbox = mailboxAt(world, address);
  const item = mailbox.items.get(id);
  if (item === undefined) throw new Error(`no mail ${id} in ${address}`);
  return { mailbox, item };
}

async function bytesOf(world: World, mail: Buffer | MailFields, mailbox: Mailbox): Promise<Buffer> {
  return Buffer.isBuffer(mail) ? mail : writeMail(mail, { to: mailbox.address, date: world.clock.now() });
}

function placed({ immutableId, internetMessageId, conversationId }: Item): Placed {
  return { id: immutableId, internetMessageId, conversationId };
}

function kept(item: Item, folder: FolderName): Kept {
  const { isDraft, isRead, receivedAt } = item;
  return { ...placed(item), folder, subject: headOf(item.raw).subject, isDraft, isRead, receivedAt };
}
