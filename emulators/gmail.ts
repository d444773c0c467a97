import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeVirtualClock } from './clock.ts';
import { type BounceOptions, type Habit, type MailFields, writeMail } from './customer-mail.ts';
import type { ApiSettings } from './gmail-api.ts';
import { type Fault, openFaults } from './gmail-faults.ts';
import { type RequestEntry, send, serve, type World } from './gmail-http.ts';
import {
  activeWatch,
  addMail,
  changeLabels,
  type Mailbox,
  makeMailbox,
  removeMail,
  type StoredMail,
  type Watch,
} from './gmail-mailbox.ts';
import { openOAuth } from './gmail-oauth.ts';
import { type OnOutgoing, openPostOffice, type Placing, type ReceivedMail } from './gmail-post.ts';
import { openPush, type PushEntry, type PushFaults, type PushSettings } from './gmail-push.ts';
import { openPushTokens, type PushTokenOrder, type PushTokenVariant } from './gmail-push-token.ts';
import { openWatching, type WatchSettings } from './gmail-watch.ts';
import { randomOf } from './random.ts';

/**
 * Stands in for Gmail: its API, Google's consent page and token endpoint, and the Pub/Sub subscription that pushes to us.
 * Whoever asks may read everybody's mail and have a token for anybody, so it is for this machine alone.
 *
 * By itself: `node emulators/gmail.ts [port]`. Each method below is also `POST /control/<its name>`, its arguments by their
 * names in a JSON object, raw mail and files in base64; see gmail-control.ts.
 */
export type GmailEmulator = {
  url: string;
  /** The service's settings that lead here. */
  settings: Record<string, string>;
  configure(settings: Partial<Settings>): void;
  now(): Date;
  /** Moves the clock on: tokens and watches run out, what waits happens. */
  advance(ms: number): Promise<void>;
  /** A mailbox, and a refresh token as a consent would have given it. */
  addMailbox(mailbox: { address: string; scopes?: string[] }): { address: string; refreshToken: string };
  /** Its administrator gives it another primary address; the one of before goes on as an alias. */
  rename(address: string, to: string): void;
  addAlias(address: string, alias: string, verificationStatus?: 'accepted' | 'pending'): void;
  mailboxes(): string[];
  /** Everything that lies in a mailbox, oldest first. */
  mails(address: string): StoredMail[];
  /** Mail comes in; one by its fields is from a customer. */
  deliver(address: string, mail?: Buffer | MailFields, placing?: Placing): Promise<Placed>;
  /** From outside to whomever it is addressed, or to these alone. */
  carry(mail: Buffer | MailFields, recipients?: string[]): Promise<Placed[]>;
  /** What people outside got, oldest first. */
  received(address?: string): ReceivedMail[];
  /** Of the customer who received a mail. @returns where it came to */
  reply(receivedId: string, fields?: MailFields): Promise<Placed[]>;
  bounce(receivedId: string, options?: BounceOptions): Promise<Placed[]>;
  /** What an address outside does with all mail from now on. */
  setHabit(address: string, habit: Habit | null): void;
  sendByHand(address: string, mail: Buffer | MailFields): Promise<Placed>;
  /** Each saving makes another mail of a draft. */
  saveDraft(address: string, mail: Buffer | MailFields, replacesId?: string): Promise<Placed>;
  /** Labels by hand: out of the junk folder is `{ add: ['INBOX'], remove: ['SPAM'] }`. */
  relabel(address: string, id: string, change: { add?: string[]; remove?: string[] }): void;
  /** Deletes for good. */
  remove(address: string, id: string): void;
  /** History before this, or all until now, is forgotten. */
  setHistoryFloor(address: string, historyId: string | 'now'): void;
  setFault(fault: Fault): void;
  setPushFaults(faults: Partial<PushFaults>): void;
  /** Ends what was set by the two above. */
  clearFaults(): void;
  /** The person takes the consent back, or changes the password. */
  revoke(address: string): void;
  /** Access tokens of one mailbox, or of all, are no longer good. */
  expireAccess(address?: string): void;
  denyConsent(isDenied: boolean): void;
  /** A token as Pub/Sub shows it, or a forgery. */
  mintPush(order?: PushTokenVariant | PushTokenOrder): string | undefined;
  /** What pushes carry from now on. */
  usePushToken(variant: PushTokenVariant): void;
  rotatePushKeys(options?: { keepsOld?: boolean }): { kid: string };
  /** All that were ever made, in order, those that lapsed too. */
  watches(address?: string): (Watch & { address: string })[];
  pushes(): PushEntry[];
  /** Resolves once no push waits to be delivered. */
  pushesSettled(): Promise<void>;
  requests(): RequestEntry[];
  close(): Promise<void>;
};

type Placed = { address: string; id: string; threadId: string; historyId: string; messageId: string | null };
export type Settings = ApiSettings & WatchSettings & PushSettings;

export type GmailEmulatorOptions = Partial<Settings> & {
  port?: number;
  now?: () => Date;
  seed?: number;
  client?: { id: string; secret: string };
  /** The service's push account and issuer. */
  serviceAccount?: string;
  issuer?: string;
  onOutgoing?: OnOutgoing;
};

const usualSettings: Settings = {
  unitsPerMinute: 6_000,
  rewritesMessageIds: true,
  hidesHistoryLabels: false,
  pushIntervalMs: 1_000,
  project: undefined,
  endpoint: undefined,
  audience: undefined,
  ackDeadlineMs: 10_000,
  deadLetterAfter: null,
  historyIdAs: 'number',
  base64: 'standard',
};

export async function openGmailEmulator(options: GmailEmulatorOptions = {}): Promise<GmailEmulator> {
  const {
    port = 0,
    now = () => new Date(),
    seed = 1,
    client = { id: 'client-of-kontor', secret: 'secret-of-kontor' },
    serviceAccount = 'gmail-push@kontor.iam.gserviceaccount.com',
    issuer = 'https://accounts.google.com',
    onOutgoing = () => undefined,
    ...given
  } = options;
  const settings: Settings = { ...usualSettings, ...given };
  const clock = makeVirtualClock(now);
  const mailboxes = new Map<string, Mailbox>();
  const oauth = openOAuth({ clock, mailboxes, client });
  const audience = () => settings.audience ?? settings.endpoint ?? '';
  const tokens = openPushTokens({ clock, issuer, serviceAccount, audience });
  const push = openPush({ clock, random: randomOf(seed, 1), token: tokens.current, settings });
  const watching = openWatching({ clock, push, settings });
  const { onChange } = watching;
  const post = openPostOffice({ clock, random: randomOf(seed, 2), mailboxes, onChange, onOutgoing });
  const faults = openFaults(randomOf(seed, 3));
  const requests: RequestEntry[] = [];
  const world: World = { clock, oauth, post, watching, onChange, settings, tokens, faults, requests };

  const get = (address: string): Mailbox => {
    const mailbox = mailboxes.get(address.toLowerCase());
    if (mailbox === undefined) throw new Error(`there is no mailbox ${address}`);
    return mailbox;
  };
  const getMail = (mailbox: Mailbox, id: string): StoredMail => {
    const mail = mailbox.mails.get(id);
    if (mail === undefined) throw new Error(`${mailbox.address} has no mail ${id}`);
    return mail;
  };
  const rawOf = async (mail: Buffer | MailFields, to: string): Promise<Buffer> =>
    Buffer.isBuffer(mail) ? mail : writeMail(mail, { to, date: clock.now() });
  const placed = (mail: StoredMail): Placed => {
    const mailbox = [...mailboxes.values()].find(({ mails }) => mails.get(mail.id) === mail);
    const { id, threadId, historyId, head } = mail;
    return { address: mailbox?.address ?? '', id, threadId, historyId: String(historyId), messageId: head.messageId };
  };
  const byHand = (address: string, mail: Buffer | MailFields) =>
    rawOf(Buffer.isBuffer(mail) ? mail : { from: address, ...mail }, 'cora@example.com');

  const emulator: Omit<GmailEmulator, 'close'> = {
    url: '',
    settings: {},
    configure: (changes) => void Object.assign(settings, changes),
    now: clock.now,
    advance: clock.advance,
    addMailbox: ({ address: given, scopes }) => {
      const address = given.toLowerCase();
      const mailbox = mailboxes.get(address) ?? makeMailbox(address, scopes ?? null, [seed, 4, mailboxes.size]);
      if (scopes !== undefined) mailbox.scopes = scopes;
      mailboxes.set(address, mailbox);
      return { address, refreshToken: oauth.grant(mailbox) };
    },
    rename: (address, to) => {
      const mailbox = get(address);
      mailbox.address = to.toLowerCase();
      mailboxes.set(mailbox.address, mailbox);
    },
    addAlias: (address, alias, verificationStatus = 'accepted') => {
      get(address).sendAs.push({ sendAsEmail: alias, verificationStatus });
      if (verificationStatus === 'accepted') mailboxes.set(alias.toLowerCase(), get(address));
    },
    mailboxes: () => [...mailboxes.keys()],
    mails: (address) => [...get(address).inOrder],
    deliver: async (address, mail = {}, placing) =>
      placed(post.deliver(get(address), await rawOf(mail, address), placing)),
    carry: async (mail, recipients) => (await post.carry(await rawOf(mail, ''), recipients)).map(placed),
    received: post.received,
    reply: async (receivedId, fields) => (await post.reply(receivedId, fields)).map(placed),
    bounce: async (receivedId, bounce) => (await post.bounce(receivedId, bounce)).map(placed),
    setHabit: post.setHabit,
    sendByHand: async (address, mail) => placed(await post.sendByHand(get(address), await byHand(address, mail))),
    saveDraft: async (address, mail, replacesId) => {
      const mailbox = get(address);
      const raw = await byHand(address, mail);
      if (replacesId !== undefined) removeMail(mailbox, getMail(mailbox, replacesId), onChange);
      return placed(addMail(mailbox, { raw, labelIds: ['DRAFT'], internalDate: clock.now().getTime() }, onChange));
    },
    relabel: (address, id, change) => changeLabels(get(address), getMail(get(address), id), change, onChange),
    remove: (address, id) => removeMail(get(address), getMail(get(address), id), onChange),
    setHistoryFloor: (address, historyId) => {
      const mailbox = get(address);
      mailbox.historyFloor = historyId === 'now' ? mailbox.historyId : Number(historyId);
    },
    setFault: faults.set,
    setPushFaults: (changes) => void Object.assign(push.faults, changes),
    clearFaults: () => {
      faults.clear();
      Object.assign(push.faults, { drop: 0, duplicate: 0, reorder: 0, nack: 0, delayMs: 0 });
    },
    revoke: (address) => oauth.revoke(get(address)),
    expireAccess: (address) => oauth.expireAccess(address === undefined ? undefined : get(address)),
    denyConsent: oauth.denyConsent,
    mintPush: (order) => tokens.mint(typeof order === 'string' ? { variant: order } : order),
    usePushToken: tokens.use,
    rotatePushKeys: tokens.rotate,
    watches: (address) =>
      (address === undefined ? [...mailboxes.values()] : [get(address)]).flatMap((mailbox) => {
        activeWatch(mailbox, clock);
        return mailbox.watches.map((watch) => ({ address: mailbox.address, ...watch }));
      }),
    pushes: () => push.log,
    pushesSettled: push.settled,
    requests: () => requests,
  };

  // A client that comes back to a connection of long ago shall find it open: faults here are on script.
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    serve(emulator, world, request, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, { status: 500, body: { error: String(error) } });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  emulator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  emulator.settings = settingsOf(emulator.url, { client, serviceAccount, issuer });
  return Object.assign(emulator, {
    close: () =>
      new Promise<void>((resolve) => {
        push.close();
        clock.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function settingsOf(
  url: string,
  {
    client,
    serviceAccount,
    issuer,
  }: { client: { id: string; secret: string }; serviceAccount: string; issuer: string },
): Record<string, string> {
  return {
    MAIL_B_API_URL: url,
    MAIL_B_TOKEN_URL: `${url}/token`,
    MAIL_B_AUTHORIZE_URL: `${url}/o/oauth2/v2/auth`,
    MAIL_B_CLIENT_ID: client.id,
    MAIL_B_CLIENT_SECRET: client.secret,
    MAIL_B_TOPIC: 'projects/kontor/topics/mail',
    MAIL_B_PUSH_ISSUER: issuer,
    MAIL_B_PUSH_JWKS_URI: `${url}/oauth2/v3/certs`,
    MAIL_B_PUSH_SERVICE_ACCOUNT: serviceAccount,
  };
}

if (import.meta.main) {
  const { settings } = await openGmailEmulator({ port: Number(process.argv[2] ?? 9_300) });
  for (const [name, value] of Object.entries(settings)) process.stdout.write(`${name}=${value}\n`);
}
