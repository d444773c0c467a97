import type { Readable } from 'node:stream';

/** mail-a: Microsoft 365 through Graph; mail-b: Gmail. */
export type ProviderName = 'mail-a' | 'mail-b';

/**
 * A hosted-mail provider. Mail goes in and out as raw MIME, so that one parser and one composer serve all of them; what a
 * provider is peculiar in stays behind this contract, which one suite of tests holds every provider to.
 */
export type MailProvider = {
  name: ProviderName;
  /** Where a person consents (RFC 6749 §4.1, PKCE with S256). */
  consentUrl(
    consent: { redirectUri: string; state: string; codeChallenge: string; loginHint?: string } & Reach,
  ): string;
  /** The page on which an administrator approves our application for an organisation; null when the provider has none. */
  adminConsentUrl(consent: { redirectUri: string; state: string } & Reach): string | null;
  /** Throws a `ProviderFault`. */
  redeemCode(grant: { code: string; codeVerifier: string; redirectUri: string } & Reach): Promise<TokenSet>;
  /** Throws a `ProviderFault`, of kind `unauthorized` when the grant is dead for good. */
  refresh(refreshToken: string, reach?: Reach): Promise<TokenSet>;
  /** The mailbox of the account that consented, or the shared mailbox at this address, to which that account has rights. */
  openAccount(access: Access, sharedAddress?: string): ProviderAccount;
  close(): Promise<void>;
};

/** Whether a consent is for a shared mailbox instead of the account's own. */
export type Reach = { isShared?: boolean };

export type TokenSet = {
  accessToken: string;
  /** Seconds from now. */
  expiresInSeconds: number;
  /** A new one that takes the old one's place; null where the old one stays. */
  refreshToken: string | null;
  /** What was consented to, which may be less than what was asked for; null where the provider does not say. */
  scopes: string[] | null;
};

/** Access tokens of one mailbox. */
export type Access = {
  token(): Promise<string>;
  /** @param refused what the provider no longer took; of many at once one renews */
  renew(refused: string): Promise<string>;
  /** Ends requests that are under way. */
  signal?: AbortSignal;
};

/** All methods throw a `ProviderFault`. */
export type ProviderAccount = {
  /** Whose mailbox it is. Throws kind `forbidden` when we may not read it. */
  profile(): Promise<MailboxProfile>;
  /** Further addresses at which it receives or from which it may send, as far as the provider lists them. */
  aliases(): Promise<string[]>;
  /** Whether it has the mail with this id. Identifies a mailbox at providers that have no ids for users. */
  holds(providerId: string): Promise<boolean>;
  /** The place from which `changes` lists what happens later: take it before listing anything. */
  anchor(): Promise<string>;
  /**
   * What is new since the cursor, page by page; the last page alone brings the cursor to be kept, once all pages are safe.
   * A mail may be listed several times, and may be filed or gone when it is fetched. Throws kind `cursor-lost` when a full pass
   * is needed.
   */
  changes(cursor: string): AsyncIterable<{ found: FoundMail[]; cursor: string | null }>;
  /**
   * Mail of inbox and sent folder that was received since then, page by page; `next` leads on, also after a crash.
   * @param page '' at the beginning
   * @param hasArchive includes archived mail, without the mail that rules file, as far as the provider distinguishes them
   */
  history(
    since: Date,
    page: string,
    options?: { hasArchive: boolean },
  ): Promise<{ found: FoundMail[]; next: string | null }>;
  /**
   * The mail itself, in whatever folder it is by now, or why it becomes no ticket. `missing`: the provider does not have it, or
   * does not show it yet, which can take seconds after it named the mail.
   * @param rebuilds builds the mail from its parts when the provider cannot give the original
   */
  fetch(
    found: FoundMail,
    options?: { rebuilds: boolean },
  ): Promise<FetchedMail | { skipped: 'missing' | 'draft' | 'junk' | 'deleted' | 'chat' }>;
  /** What is to be watched so that new mail is told of, each by its key. */
  watchKeys: readonly string[];
  /** Begins to watch, in the place of whatever watched the same for us before. */
  watch(key: string, target: WatchTarget): Promise<Watch>;
  /** Watches on. Throws kind `not-found` when it has lapsed or was dropped: then watch anew. */
  renewWatch(watch: Watch, target: WatchTarget): Promise<Watch>;
  /** Already gone is as good. */
  stopWatch(watch: Watch): Promise<void>;
  /**
   * Sends. @returns the copy in the sent folder; null where that does not show yet
   * After a fault with `mayHaveHappened` the mail may have left: ask `findSent` before sending again.
   */
  send(mail: HostedMail, steps: SendSteps): Promise<SentCopy | null>;
  /**
   * Asks whether a mail left whose sending was cut off: its copy, if it did; `draft` while its draft waits unsent;
   * undefined where there is no trace of it (yet).
   */
  findSent(mail: {
    rfcMessageId: string;
    draftId: string | null;
    threadId: string | null;
    since: Date;
  }): Promise<SentCopy | 'draft' | undefined>;
};

export type MailboxProfile = {
  address: string;
  /** The provider's id of the mailbox's user, which survives a change of address; null when the provider has none. */
  userId: string | null;
  /** The account whose rights open a shared mailbox; null when the mailbox's own account does. */
  delegateAddress: string | null;
};

export type FoundMail = {
  providerId: string;
  folder: 'inbox' | 'sent';
  /** The provider named the mail but did not list it in the folder: it may have been moved, and may be old. */
  isCandidate?: true;
};

export type FetchedMail = {
  providerId: string;
  /** The folder it is in; the folder it was found in if it was filed elsewhere meanwhile. */
  folder: 'inbox' | 'sent';
  /** It is in neither folder any more. */
  isFiled: boolean;
  threadId: string | null;
  receivedAt: Date;
  /** RFC 5322. */
  raw: Buffer;
};

export type WatchTarget = {
  /** Graph: where notifications and lifecycle events go. */
  notificationUrl: string;
  clientState: string | undefined;
  /** Gmail: the Pub/Sub topic. */
  topic: string | undefined;
};

export type Watch = { key: string; subscriptionId: string | null; expiresAt: Date };

/** An answer on its way out through the mailbox. */
export type HostedMail = {
  /** Ours, without brackets; it is in the mail, and in its header of our own (`ownIdHeader`), which providers leave alone. */
  rfcMessageId: string;
  /** The provider's thread that it continues, where there is one. */
  threadId: string | null;
  /** Not in the header: the provider gets them apart from the mail. */
  bcc: readonly string[];
  /** The whole mail. @param namesBcc in its header, for a provider that takes them out of it */
  whole(options?: { namesBcc: boolean }): Readable;
  /** The mail without its attachments, for providers that take large ones apart; inline images count as attachments. */
  withoutFiles(): Readable;
  files: readonly HostedFile[];
};

export type HostedFile = {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  /** Without brackets; given for an image that the HTML shows. */
  contentId: string | null;
  open(): Promise<Readable>;
};

/** What is durable before the next step is taken. */
export type SendSteps = {
  /** A draft of this mail that an earlier attempt made. */
  draftId: string | null;
  onDraft(draftId: string): Promise<void>;
  /** Awaited before the one request that sends: when it throws, nothing leaves. */
  beforeSend(): Promise<void>;
};

/** A mail of ours in the mailbox's sent folder. */
export type SentCopy = {
  providerId: string;
  threadId: string | null;
  /** Without brackets: what recipients see. */
  wireMessageId: string | null;
};

export type ProviderFaultKind =
  /** The token endpoint says that the grant is dead or insufficient: a person must consent again. */
  | 'unauthorized'
  /** The mailbox or its administrator forbids it; consenting again does not help. */
  | 'forbidden'
  /** Our application is set up wrongly: the operator's to mend, not the mailbox's. */
  | 'misconfigured'
  /** Too much was asked for: come back after `retryAfterMs`. */
  | 'throttled'
  /** Out of reach, too slow, or broken on the provider's side. */
  | 'unavailable'
  | 'cursor-lost'
  | 'not-found'
  /** Not like this, and not the next time either. */
  | 'refused';

/**
 * What a fault says about our access to the mailbox. `final`: the token endpoint refused, or our settings are wrong. `denial`:
 * the API refused, which both providers also do by mistake, so it counts only after an hour of nothing else. `none`: nothing.
 */
export type AccessEvidence = 'final' | 'denial' | 'none';

const usualEvidence: Partial<Record<ProviderFaultKind, AccessEvidence>> = {
  unauthorized: 'final',
  misconfigured: 'final',
  forbidden: 'denial',
};

/** What a provider answered instead of what was asked for. */
export class ProviderFault extends Error {
  readonly kind: ProviderFaultKind;
  /** The provider's own name of it (`ErrorItemNotFound`, `invalid_grant`), else the status; never secret. */
  readonly code: string;
  readonly retryAfterMs: number | null;
  /** The provider may have carried out the request: check before repeating it. */
  readonly mayHaveHappened: boolean;
  readonly evidence: AccessEvidence;

  constructor(
    kind: ProviderFaultKind,
    code: string,
    message: string,
    { retryAfterMs = null, mayHaveHappened = false, evidence, cause }: ProviderFaultOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ProviderFault';
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.mayHaveHappened = mayHaveHappened;
    this.evidence = evidence ?? usualEvidence[kind] ?? 'none';
  }
}

type ProviderFaultOptions = {
  retryAfterMs?: number | null;
  mayHaveHappened?: boolean;
  evidence?: AccessEvidence;
  cause?: unknown;
};
