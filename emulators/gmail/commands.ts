/** The commands that steer the Gmail emulator: customers' mail, people in Gmail itself, clock and faults. */
import { type BounceOptions, type Habit, type MailFields, writeMail } from '../customer-mail.ts';
import type { Fault } from './faults.ts';
import {
  activeWatch,
  addMail,
  changeLabels,
  type Mailbox,
  makeMailbox,
  removeMail,
  type StoredMail,
  type Watch,
} from './mailbox.ts';
import type { Placing, ReceivedMail } from './post.ts';
import type { PushEntry, PushFaults } from './push.ts';
import type { PushTokenOrder, PushTokenVariant } from './push-token.ts';
import type { RequestEntry, Settings, World } from './world.ts';

type Placed = { address: string; id: string; threadId: string; historyId: string; messageId: string | null };
type Mail = Buffer | MailFields;

export type Commands = ReturnType<typeof makeCommands>;

export function makeCommands(world: World) {
  return {
    ...clockCommands(world),
    ...mailboxCommands(world),
    ...customerCommands(world),
    ...personCommands(world),
    ...faultCommands(world),
    ...pushCommands(world),
  };
}

function clockCommands({ clock, settings, requests }: World) {
  return {
    configure: (changes: Partial<Settings>): void => void Object.assign(settings, changes),
    now: (): Date => clock.now(),
    /** Advances the clock: tokens and watches expire, and waiting tasks run. */
    advance: (ms: number): Promise<void> => clock.advance(ms),
    requests: (): RequestEntry[] => requests,
  };
}

function mailboxCommands(world: World) {
  const { mailboxes, oauth, seed } = world;
  return {
    /** Adds a mailbox. @returns a refresh token as from a consent */
    addMailbox(mailbox: { address: string; scopes?: string[] }): { address: string; refreshToken: string } {
      const address = mailbox.address.toLowerCase();
      const { scopes } = mailbox;
      const made = mailboxes.get(address) ?? makeMailbox(address, scopes ?? null, [seed, 4, mailboxes.size]);
      if (scopes !== undefined) made.scopes = scopes;
      mailboxes.set(address, made);
      return { address, refreshToken: oauth.grant(made) };
    },
    /** As when an administrator changes the primary address: the old address stays as an alias. */
    rename(address: string, to: string): void {
      const mailbox = mailboxAt(world, address);
      mailbox.address = to.toLowerCase();
      mailboxes.set(mailbox.address, mailbox);
    },
    addAlias(address: string, alias: string, verificationStatus: 'accepted' | 'pending' = 'accepted'): void {
      mailboxAt(world, address).sendAs.push({ sendAsEmail: alias, verificationStatus });
      if (verificationStatus === 'accepted') mailboxes.set(alias.toLowerCase(), mailboxAt(world, address));
    },
    mailboxes: (): string[] => [...mailboxes.keys()],
    /** All mails of a mailbox, oldest first. */
    mails: (address: string): StoredMail[] => [...mailboxAt(world, address).inOrder],
    /** Forgets the history before this id, or all history until now. */
    setHistoryFloor(address: string, historyId: string | 'now'): void {
      const mailbox = mailboxAt(world, address);
      mailbox.historyFloor = historyId === 'now' ? mailbox.historyId : Number(historyId);
    },
  };
}

function customerCommands(world: World) {
  const { post } = world;
  const allPlaced = (mails: StoredMail[]) => mails.map((mail) => placed(world, mail));
  return {
    /** Delivers a mail. A mail given by its fields comes from a customer. */
    deliver: async (address: string, mail: Mail = {}, placing?: Placing): Promise<Placed> =>
      placed(world, post.deliver(mailboxAt(world, address), await rawOf(world, mail, address), placing)),
    /** Carries a mail from outside to these recipients, or to those of its header. */
    carry: async (mail: Mail, recipients?: string[]): Promise<Placed[]> =>
      allPlaced(await post.carry(await rawOf(world, mail, ''), recipients)),
    /** Mails that went to people outside, oldest first. */
    received: (address?: string): ReceivedMail[] => post.received(address),
    /** The customer who received this mail answers it. @returns the mails that arrived here */
    reply: async (receivedId: string, fields?: MailFields): Promise<Placed[]> =>
      allPlaced(await post.reply(receivedId, fields)),
    bounce: async (receivedId: string, options?: BounceOptions): Promise<Placed[]> =>
      allPlaced(await post.bounce(receivedId, options)),
    /** Sets how an outside address reacts to all mail from now on. */
    setHabit: (address: string, habit: Habit | null): void => post.setHabit(address, habit),
  };
}

/** Actions of the mailbox's user in Gmail itself. */
function personCommands(world: World) {
  const { clock, post, onChange } = world;
  const ownMail = (address: string, mail: Mail) =>
    rawOf(world, Buffer.isBuffer(mail) ? mail : { from: address, ...mail }, 'cora@example.com');
  return {
    sendByHand: async (address: string, mail: Mail): Promise<Placed> =>
      placed(world, await post.sendByHand(mailboxAt(world, address), await ownMail(address, mail))),
    /** Saving a draft again replaces its mail by a new mail. */
    async saveDraft(address: string, mail: Mail, replacesId?: string): Promise<Placed> {
      const mailbox = mailboxAt(world, address);
      const raw = await ownMail(address, mail);
      if (replacesId !== undefined) removeMail(mailbox, mailIn(mailbox, replacesId), onChange);
      const draft = { raw, labelIds: ['DRAFT'], internalDate: clock.now().getTime() };
      return placed(world, addMail(mailbox, draft, onChange));
    },
    /** Moves labels by hand. `{ add: ['INBOX'], remove: ['SPAM'] }` takes a mail out of the junk folder. */
    relabel(address: string, id: string, change: { add?: string[]; remove?: string[] }): void {
      const mailbox = mailboxAt(world, address);
      changeLabels(mailbox, mailIn(mailbox, id), change, onChange);
    },
    /** Deletes for good, without the trash. */
    remove(address: string, id: string): void {
      const mailbox = mailboxAt(world, address);
      removeMail(mailbox, mailIn(mailbox, id), onChange);
    },
    /** As when the user revokes the consent or changes the password. */
    revoke: (address: string): void => world.oauth.revoke(mailboxAt(world, address)),
    denyConsent: (isDenied: boolean): void => world.oauth.denyConsent(isDenied),
  };
}

function faultCommands(world: World) {
  const { faults, push, oauth } = world;
  return {
    setFault: (fault: Fault): void => faults.set(fault),
    setPushFaults: (changes: Partial<PushFaults>): void => void Object.assign(push.faults, changes),
    /** Clears the faults of `setFault` and `setPushFaults`. */
    clearFaults(): void {
      faults.clear();
      Object.assign(push.faults, { drop: 0, duplicate: 0, reorder: 0, nack: 0, delayMs: 0 });
    },
    /** Expires the access tokens of one mailbox, or of all. */
    expireAccess: (address?: string): void =>
      oauth.expireAccess(address === undefined ? undefined : mailboxAt(world, address)),
  };
}

function pushCommands(world: World) {
  const { clock, mailboxes, push, tokens } = world;
  return {
    /** Makes a token as Pub/Sub sends it, or a forgery. */
    mintPush: (order?: PushTokenVariant | PushTokenOrder): string | undefined =>
      tokens.mint(typeof order === 'string' ? { variant: order } : order),
    /** The kind of token that pushes carry from now on. */
    usePushToken: (variant: PushTokenVariant): void => tokens.use(variant),
    rotatePushKeys: (options?: { keepsOld?: boolean }): { kid: string } => tokens.rotate(options),
    /** All watches ever made, in order, lapsed ones included. */
    watches: (address?: string): (Watch & { address: string })[] =>
      (address === undefined ? [...mailboxes.values()] : [mailboxAt(world, address)]).flatMap((mailbox) => {
        activeWatch(mailbox, clock);
        return mailbox.watches.map((watch) => ({ address: mailbox.address, ...watch }));
      }),
    pushes: (): PushEntry[] => push.log,
    /** Resolves once no push waits for delivery. */
    pushesSettled: (): Promise<void> => push.settled(),
  };
}

function mailboxAt({ mailboxes }: World, address: string): Mailbox {
  const mailbox = mailboxes.get(address.toLowerCase());
  if (mailbox === undefined) throw new Error(`there is no mailbox ${address}`);
  return mailbox;
}

function mailIn(mailbox: Mailbox, id: string): StoredMail {
  const mail = mailbox.mails.get(id);
  if (mail === undefined) throw new Error(`${mailbox.address} has no mail ${id}`);
  return mail;
}

async function rawOf({ clock }: World, mail: Mail, to: string): Promise<Buffer> {
  return Buffer.isBuffer(mail) ? mail : writeMail(mail, { to, date: clock.now() });
}

function placed({ mailboxes }: World, mail: StoredMail): Placed {
  const mailbox = [...mailboxes.values()].find(({ mails }) => mails.get(mail.id) === mail);
  const { id, threadId, historyId, head } = mail;
  return { address: mailbox?.address ?? '', id, threadId, historyId: String(historyId), messageId: head.messageId };
}
