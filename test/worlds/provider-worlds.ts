/**
 * Hosted-mail providers with their emulators behind one interface, so that a single suite can hold all of them to the
 * contract.
 */
import { expect } from 'vitest';
import type { MailFields } from '../../emulators/customer-mail.ts';
import { openGmailEmulator } from '../../emulators/gmail.ts';
import { openGraphEmulator } from '../../emulators/graph.ts';
import type { Access, MailProvider, OAuthProvider, ProviderAccount } from '../../src/mail/provider.ts';
import { openGmail } from '../../src/mail/providers/gmail.ts';
import { openGraph } from '../../src/mail/providers/graph.ts';
import type { WatchTarget } from '../../src/mail/providers/registry.ts';
import { openEndpoint } from '../harness/small-server.ts';

/** The folder of a mail. */
export type Place = 'inbox' | 'junk' | 'bin';

/** Operations by the contract's names. */
export type Asked = 'token' | 'profile' | 'changes' | 'history' | 'fetch' | 'send';

/** `broken` drops the connection, `stalled` never answers, `down` is 503. */
export type Trouble = {
  kind: 'throttled' | 'down' | 'forbidden' | 'unauthorized' | 'broken' | 'stalled';
  /** The request takes effect before it fails. */
  isCarriedOut?: boolean;
  times?: number;
};

/** A provider to which a person consents. */
export type OAuthWorld = AnyWorld & {
  provider: OAuthProvider;
  /** The same provider for another application. */
  openProvider(client: { id: string; secret: string } | undefined): OAuthProvider;
  /** Whether each refresh replaces the refresh token. */
  rotates: boolean;
  addMailbox(scopes?: 'reading alone'): { address: string; refreshToken: string };
  fail(asked: Asked, address: string, trouble: Trouble): void;
  expireAccess(address: string): void;
};

/** The parts that the contract needs of each provider. */
export type ProviderWorld = AnyWorld & {
  name: MailProvider['name'];
  openMailbox(signal?: AbortSignal): { address: string; account: ProviderAccount };
  /** Opens the mailbox as another process would. */
  openAgain(address: string): ProviderAccount;
  /** The secret that no text may contain. */
  secretOf(address: string): Promise<string>;
};

export type AnyWorld = {
  /** Null: the provider tells no threads. */
  threadId: unknown;
  /** How long throttled work is to wait. */
  waitMs: unknown;
  /** A number of new mails that fills more than one page of changes. */
  pageOverflow: number;
  deliver(address: string, mail?: Buffer | MailFields, at?: { place?: Place; receivedAt?: Date }): Promise<string>;
  sendByHand(address: string, mail: MailFields): Promise<string>;
  saveDraft(address: string, mail: MailFields): Promise<string>;
  /** @returns the mail's id from then on */
  move(address: string, id: string, place: Place): Promise<string>;
  remove(address: string, id: string): void | Promise<void>;
  /** The mails that a customer received, oldest first. */
  received(address: string): Buffer[];
  /** The customer answers the last received mail. @returns the answer's id in the mailbox */
  reply(customer: string): Promise<string>;
  loseHistory(address: string): void | Promise<void>;
  /** Absent where the server cannot be made to fail. */
  fail?(asked: Asked, address: string, trouble: Trouble): void;
  revoke?(address: string): void | Promise<void>;
  target: WatchTarget;
  /** Watches that would report new mail now. */
  watches(address: string): number;
  letWatchesLapse(): void | Promise<void>;
  close(): Promise<void>;
};

/** The `Retry-After` of throttled requests. */
export const waitSeconds = 7;

const statuses = { throttled: 429, down: 503, forbidden: 403, unauthorized: 401 } as const;

/** In the form of both emulators. */
function faultOf({ kind, isCarriedOut = false, times = 1 }: Trouble) {
  return {
    isCarriedOut,
    times,
    ...(kind === 'broken' || kind === 'stalled' ? { kind } : { status: statuses[kind] }),
    ...(kind === 'throttled' && { retryAfterSeconds: waitSeconds }),
  };
}

export async function openGmailWorld(): Promise<OAuthWorld> {
  const emulator = await openGmailEmulator({ unitsPerMinute: null });
  const { url } = emulator;
  const places = { inbox: ['INBOX', 'UNREAD'], junk: ['SPAM'], bin: ['TRASH'] };
  const operations = {
    token: 'token',
    profile: 'getProfile',
    changes: 'history.list',
    history: 'messages.list',
    fetch: 'messages.get',
    send: 'messages.send',
  } as const;
  const openProvider: OAuthWorld['openProvider'] = (client) =>
    openGmail({ apiUrl: url, tokenUrl: `${url}/token`, authorizeUrl: `${url}/o/oauth2/v2/auth`, client });
  const provider = openProvider(clientOfKontor);
  const newAddress = addresses('gmail');
  return {
    provider,
    openProvider,
    rotates: false,
    threadId: expect.any(String),
    waitMs: waitSeconds * 1_000,
    pageOverflow: 501,
    addMailbox: (scopes) =>
      emulator.addMailbox({
        address: newAddress(),
        ...(scopes !== undefined && { scopes: ['https://www.googleapis.com/auth/gmail.readonly'] }),
      }),
    deliver: async (address, mail, { place = 'inbox', receivedAt } = {}) =>
      (
        await emulator.deliver(address, mail, {
          labelIds: places[place],
          ...(receivedAt !== undefined && { receivedAt }),
        })
      ).id,
    sendByHand: async (address, mail) => (await emulator.sendByHand(address, mail)).id,
    saveDraft: async (address, mail) => (await emulator.saveDraft(address, mail)).id,
    move: async (address, id, place) => {
      const others = Object.values(places).flat();
      const remove = others.filter((label) => !places[place].includes(label));
      emulator.relabel(address, id, { add: places[place], remove });
      return id;
    },
    remove: emulator.remove,
    received: (address) => emulator.received(address).map(({ raw }) => raw),
    reply: async (customer) => {
      const [reply] = await emulator.reply(emulator.received(customer).at(-1)?.id ?? '');
      return reply?.id ?? '';
    },
    loseHistory: (address) => emulator.setHistoryFloor(address, 'now'),
    fail: (asked, address, trouble) =>
      emulator.setFault({
        ...faultOf(trouble),
        on: operations[asked],
        address,
        ...(trouble.kind === 'forbidden' && { reason: 'domainPolicy' }),
      }),
    expireAccess: emulator.expireAccess,
    revoke: emulator.revoke,
    target: { notificationUrl: '', clientState: undefined, topic: emulator.settings.MAIL_B_TOPIC },
    watches: (address) => emulator.watches(address).filter(({ state }) => state === 'active').length,
    letWatchesLapse: () => emulator.advance(8 * 24 * 3_600_000),
    close: async () => {
      await provider.close();
      await emulator.close();
    },
  };
}

export async function openGraphWorld(): Promise<OAuthWorld> {
  const emulator = await openGraphEmulator({ behaviour: { sentDelayMs: 5 } });
  const endpoint = await openEndpoint();
  const { apiUrl, tokenUrl, authorizeUrl } = emulator;
  const places = { inbox: 'inbox', junk: 'junkemail', bin: 'deleteditems' } as const;
  const operations = {
    token: 'token',
    profile: 'profile',
    changes: 'delta',
    history: 'message.list',
    fetch: 'message.get',
    send: 'send',
  };
  const openProvider: OAuthWorld['openProvider'] = (client) =>
    openGraph({ apiUrl, tokenUrl, authorizeUrl, client, clock: { now: emulator.now } });
  const provider = openProvider(clientOfKontor);
  const newAddress = addresses('graph');
  return {
    provider,
    openProvider,
    rotates: true,
    threadId: expect.any(String),
    waitMs: waitSeconds * 1_000,
    pageOverflow: 101,
    addMailbox: (scopes) =>
      emulator.addMailbox({
        address: newAddress(),
        ...(scopes !== undefined && { scopes: ['Mail.ReadWrite', 'User.Read', 'offline_access'] }),
      }),
    deliver: async (address, mail = {}, { place = 'inbox', receivedAt } = {}) => {
      const at = { folder: places[place], ...(receivedAt !== undefined && { receivedAt }) };
      return (await emulator.deliver(address, mail, at)).id;
    },
    sendByHand: async (address, mail) => (await emulator.sendByHand(address, mail)).id,
    saveDraft: async (address, mail) => (await emulator.saveDraft(address, mail)).id,
    move: async (address, id, place) => {
      emulator.move(address, id, places[place]);
      return id;
    },
    remove: emulator.remove,
    received: (address) => emulator.received(address).map(({ raw }) => raw),
    reply: async (customer) => (await emulator.reply(emulator.received(customer).at(-1)?.id ?? '')).id,
    loseHistory: (address) => emulator.resetDelta(address),
    fail: (asked, address, trouble) => emulator.setFault({ ...faultOf(trouble), on: operations[asked], address }),
    expireAccess: emulator.expireAccess,
    revoke: emulator.revoke,
    target: { notificationUrl: endpoint.url, clientState: 'a secret', topic: undefined },
    watches: (address) =>
      emulator.subscriptions().filter((subscription) => subscription.address === address && subscription.end === null)
        .length,
    letWatchesLapse: () => emulator.advance(8 * 24 * 3_600_000),
    close: async () => {
      await provider.close();
      await emulator.close();
      await endpoint.close();
    },
  };
}

export const clientOfKontor = { id: 'client-of-kontor', secret: 'secret-of-kontor' };

function addresses(domain: string): () => string {
  let count = 0;
  return () => `support-${++count}@${domain}.example.org`;
}

/** Keeps access tokens as a mailbox does, and replaces the refresh token if the provider does. */
export function keepAccess(
  provider: OAuthProvider,
  refreshToken: string,
  signal?: AbortSignal,
): Access & { renewals(): number } {
  let kept = { refreshToken, accessToken: '' };
  let renewals = 0;
  const renew = async () => {
    const tokens = await provider.refresh(kept.refreshToken);
    kept = { refreshToken: tokens.refreshToken ?? kept.refreshToken, accessToken: tokens.accessToken };
    return kept.accessToken;
  };
  return {
    token: async () => (kept.accessToken === '' ? renew() : kept.accessToken),
    renew: () => {
      renewals++;
      return renew();
    },
    renewals: () => renewals,
    ...(signal !== undefined && { signal }),
  };
}
