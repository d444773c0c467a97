import { createHmac } from 'node:crypto';

/**
 * The names of providers on the wire and in the database. Only this file spells them. Mailboxes, routes and
 * notifications carry them as a key; code that depends on the provider asks for a trait.
 */
export const providerKeys = { microsoft: 'mail-a', gmail: 'mail-b', imap: 'imap' } as const;
export type ProviderKey = (typeof providerKeys)[keyof typeof providerKeys];

type WatchSettings = {
  publicUrl: string;
  authSecret: Uint8Array;
  microsoft: { webhookSecrets: readonly string[] };
  gmail: { topic: string | undefined };
};
/** The address for notifications, Graph's secret in them, and Gmail's Pub/Sub topic. */
export type WatchTarget = { notificationUrl: string; clientState: string | undefined; topic: string | undefined };

/** What differs between providers, apart from how to talk to them. */
const traits = {
  [providerKeys.microsoft]: {
    key: providerKeys.microsoft,
    auth: 'oauth',
    name: 'microsoft',
    product: 'Microsoft 365',
    /** Graph's conversationId is only a hint, because a reply may change it. */
    threadsAreCertain: false,
    /** Graph's notifications name a subscription instead of the mailbox's address. */
    addressIsRoute: false,
    /** Exchange lists the addresses that receive, and usually lets only the primary one send. */
    sendsFromAliases: false,
    /** The provider lists the mailbox's other addresses; elsewhere people name them. */
    listsAliases: true,
    hasSharedMailboxes: true,
    /** The server whose `Authentication-Results` count. */
    authenticator: 'exchange',
    arrivesOld: false,
    /** A cursor of the provider may name no more mail, and is replaced then. */
    cursorMayFail: true,
    comparedDays: 0,
    lookAgainMs: null,
    /** A connection that stays open tells of new mail, instead of notifications. */
    isListenedTo: false,
    /** How many watches a mailbox has: Graph's name a folder. */
    watches: 2,
    looksThroughSent: false,
    /** A person who goes back from "Need admin approval" looks to us like a person who declined. */
    approvalHint:
      'If Microsoft asked for the approval of an administrator, send one of your organisation the approval link that ' +
      'comes with the consent link (adminConsentUrl). Begin again after the approval.',
    watchTarget: ({ publicUrl, authSecret, microsoft }: WatchSettings): WatchTarget => ({
      notificationUrl: `${publicUrl}/v1/webhooks/${providerKeys.microsoft}`,
      clientState: microsoft.webhookSecrets[0] ?? ownClientState(authSecret),
      topic: undefined,
    }),
  },
  [providerKeys.gmail]: {
    key: providerKeys.gmail,
    auth: 'oauth',
    name: 'gmail',
    product: 'Gmail',
    threadsAreCertain: true,
    addressIsRoute: true,
    sendsFromAliases: true,
    listsAliases: true,
    hasSharedMailboxes: false,
    authenticator: 'gmail',
    arrivesOld: false,
    cursorMayFail: true,
    comparedDays: 0,
    /** Gmail notifies at most once a second per mailbox. A second sync finds the mail that came in between. */
    lookAgainMs: 1_200,
    isListenedTo: false,
    watches: 1,
    /** Gmail has no search for our own id, so a look for an answer reads sent mails one by one. */
    looksThroughSent: true,
    approvalHint: null,
    watchTarget: ({ publicUrl, gmail: { topic } }: WatchSettings): WatchTarget => ({
      notificationUrl: `${publicUrl}/v1/webhooks/${providerKeys.gmail}`,
      clientState: undefined,
      topic,
    }),
  },
  [providerKeys.imap]: {
    key: providerKeys.imap,
    auth: 'password',
    name: 'imap',
    product: 'IMAP',
    threadsAreCertain: false,
    addressIsRoute: false,
    sendsFromAliases: false,
    listsAliases: false,
    hasSharedMailboxes: false,
    /** The headers of an unknown server prove nothing. */
    authenticator: null,
    /** People drag old mail into the inbox, and servers move: then old mail arrives as if it were new. */
    arrivesOld: true,
    cursorMayFail: false,
    /** Once a day, the mail of so many days is compared with the mails that were taken. */
    comparedDays: 14,
    lookAgainMs: null,
    isListenedTo: true,
    watches: 0,
    looksThroughSent: false,
    approvalHint: null,
    watchTarget: (_settings: WatchSettings): WatchTarget => ({
      notificationUrl: '',
      clientState: undefined,
      topic: undefined,
    }),
  },
} as const;

export type ProviderTraits = (typeof traits)[ProviderKey];
export type OAuthTraits = Extract<ProviderTraits, { auth: 'oauth' }>;
export type OAuthKey = OAuthTraits['key'];
export type PasswordKey = Exclude<ProviderKey, OAuthKey>;
/** In the order in which clients see them. */
export const allTraits: readonly ProviderTraits[] = Object.values(traits);
/** The providers whose servers tell of new mail over a connection that stays open. */
export const listenedKeys: readonly ProviderKey[] = allTraits.flatMap(({ key, isListenedTo }) =>
  isListenedTo ? [key] : [],
);
/** The providers to which a person consents. */
export const oauthTraits = allTraits.filter((each): each is OAuthTraits => each.auth === 'oauth');
export const traitsOf = <Key extends ProviderKey>(key: Key): (typeof traits)[Key] => traits[key];

/** The clientState of Graph's subscriptions when the settings have no secret for them. */
export function ownClientState(authSecret: Uint8Array): string {
  return createHmac('sha256', authSecret).update('kontor graph client state 1').digest('base64url');
}
