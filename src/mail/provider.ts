import type { Readable } from 'node:stream';
import type { ProviderFault } from './provider-fault.ts';
import type { OAuthKey, PasswordKey, ProviderTraits, WatchTarget } from './providers/registry.ts';

/**
 * A hosted-mail provider. Mail goes in and out as raw MIME, so one parser and one composer serve all providers. This
 * contract hides the peculiarities of each provider, and one test suite checks every provider against the contract.
 */
export type MailProvider = OAuthProvider | PasswordProvider;

export type Providers = Record<OAuthKey, OAuthProvider> & Record<PasswordKey, PasswordProvider>;

/** A provider to which a person consents. */
export type OAuthProvider = Extract<ProviderTraits, { auth: 'oauth' }> & {
  /** The page where a person consents (RFC 6749 §4.1, PKCE with S256). */
  consentUrl(
    consent: { redirectUri: string; state: string; codeChallenge: string; loginHint?: string } & Reach,
  ): string;
  /**
   * The page where an administrator approves our application for an organisation. Null if the provider has no such
   * page.
   */
  adminConsentUrl(consent: { redirectUri: string; state: string } & Reach): string | null;
  /** Throws a `ProviderFault`. */
  redeemCode(grant: { code: string; codeVerifier: string; redirectUri: string } & Reach): Promise<TokenSet>;
  /** Throws a `ProviderFault`. Its kind is `unauthorized` when the grant has ended for good. */
  refresh(refreshToken: string, reach?: Reach): Promise<TokenSet>;
  /** Opens the mailbox of the consenting account, or a shared mailbox that this account may use. */
  openAccount(access: Access, sharedAddress?: string): ProviderAccount;
  close(): Promise<void>;
};

/** Servers of which a person tells the names and the password. */
export type PasswordProvider = Extract<ProviderTraits, { auth: 'password' }> & {
  /**
   * Signs in at both servers, and finds the folders. Asks whether the address may send, and sends no mail.
   * Throws a `ProviderFault`, whose code names the cause as in `ServerRefusal`.
   */
  probe(server: ServerLogin): Promise<ServerFolders & ListedFolders>;
  /** Tries both servers, and throws no fault of theirs. */
  tryEnds(access: ServerAccess): Promise<EndTrial[]>;
  /** Asks whether the account may send from an address, and sends no mail. Throws a `ProviderFault` if not. */
  trySender(access: ServerAccess, from: string): Promise<void>;
  listFolders(access: ServerAccess): Promise<ListedFolders>;
  openAccount(access: ServerAccess): ProviderAccount;
  /** The mails in the folders that are read. */
  countMails(access: ServerAccess, cursor: string | null): Promise<FolderCount[]>;
  /** When the oldest of some mails of a folder arrived; null when none is there. */
  oldestOf(access: ServerAccess, ids: readonly string[]): Promise<Date | null>;
  /**
   * Keeps a connection open over which the server tells of new mail, until `access.signal` aborts. Throws a
   * `ProviderFault` when it breaks, with the code `noIdle` where servers cannot do this.
   */
  listen(access: ServerAccess, told: { onOpen: () => void; onNews: () => void }): Promise<void>;
  close(): Promise<void>;
};

export const folderUses = ['inbox', 'sent', 'drafts', 'junk', 'trash', 'archive', 'all'] as const;
export type ServerFolder = { path: string; use: (typeof folderUses)[number] | null };
/** `canMove`: whether the server moves a mail from one folder to another without touching other mails. */
export type ListedFolders = { folders: ServerFolder[]; canMove: boolean };

/** How one of a mailbox's servers behaves. */
export type EndTrial = {
  end: 'imap' | 'smtp';
  fault: ProviderFault | null;
  milliseconds: number;
  capabilities: string[];
  /** The largest mail that the server takes, where it tells. */
  bytesMax: number | null;
};

/**
 * The provider's ids of a folder's mails. `newIds` are those after the cursor, `unwantedIds` drafts and mails that are
 * marked for deletion.
 */
export type FolderCount = { path: string; ids: string[]; newIds: string[]; unwantedIds: string[] };

export const serverSecurities = ['tls', 'starttls', 'none'] as const;
/** `none` is possible on this machine alone. */
export type ServerEnd = { host: string; port: number; security: (typeof serverSecurities)[number] };
export type ServerLogin = {
  address: string;
  imap: ServerEnd;
  smtp: ServerEnd;
  username: string;
  secret: ServerSecret;
};
/** A token is used with XOAUTH2. */
export type ServerSecret = { password: string } | { accessToken: string };
/**
 * `inboxPaths` has '' in the place of a folder that is no longer read. `sentPath` is null where the server has no
 * folder for sent mail.
 */
export type ServerFolders = { inboxPaths: string[]; sentPath: string | null };

/** The number of the folder of sent mail, with which the ids of its mails begin. The others count from 1. */
export const sentFolderNo = 0;

export const sentCopies = ['auto', 'append', 'server', 'none'] as const;
/** Who files the copy of a sent mail: we, or the server. `auto`: we find out once. */
export type SentCopyWay = (typeof sentCopies)[number];
export type MailServer = ServerLogin &
  ServerFolders &
  AfterIntake & { sentCopy: SentCopyWay; sentCopyLearned: 'append' | 'server' | null };

export const afterIntakes = ['leave', 'seen', 'move'] as const;
/** What becomes of a taken mail on its server. `movePath` is the folder of moved mail, and may be left from before. */
export type AfterIntake = { afterIntake: (typeof afterIntakes)[number]; movePath: string | null };

/** The servers of one mailbox. */
export type ServerAccess = {
  server(): Promise<MailServer>;
  learnSentCopy(way: 'append' | 'server'): Promise<void>;
  /** Ends the connections. */
  signal?: AbortSignal;
};

/** Whether the consent is for a shared mailbox instead of the account's own mailbox. */
export type Reach = { isShared?: boolean };

export type TokenSet = {
  accessToken: string;
  /** Seconds from now. */
  expiresInSeconds: number;
  /** The new refresh token, which replaces the old token. Null when the old token stays valid. */
  refreshToken: string | null;
  /** The granted scopes, which may be fewer than requested. Null when the provider does not list them. */
  scopes: string[] | null;
};

/** Access tokens of one mailbox. */
export type Access = {
  token(): Promise<string>;
  /** @param refused the token that the provider refused; of many callers at once, only one renews it */
  renew(refused: string): Promise<string>;
  /** Aborts the requests in progress. */
  signal?: AbortSignal;
};

/** All methods throw a `ProviderFault`. */
export type ProviderAccount = {
  /** Identifies the mailbox. Throws kind `forbidden` when we may not read the mailbox. */
  profile(): Promise<MailboxProfile>;
  /** Other addresses where the mailbox receives or may send, as far as the provider lists them. */
  aliases(): Promise<string[]>;
  /** Whether the mailbox has the mail with this id. Identifies a mailbox at providers without user ids. */
  holds(providerId: string): Promise<boolean>;
  /** Returns the cursor from which `changes` lists later events. Take this cursor before you list any mail. */
  anchor(): Promise<string>;
  /**
   * Lists new mail since the cursor, page by page. Only the last page has the next cursor: store it once all pages are
   * safe.
   * The list may repeat a mail, and a listed mail may be moved or gone before the fetch.
   * Throws kind `cursor-lost` when the caller must read the mailbox in full again.
   */
  changes(cursor: string): AsyncIterable<ChangesPage>;
  /**
   * Lists mail in the inbox and sent folder received since a time, page by page. `next` continues, even after a crash.
   * @param page '' for the first page
   * @param hasArchive includes archived mail, but not mail that rules moved, as far as the provider distinguishes them
   */
  history(
    since: Date,
    page: string,
    options?: { hasArchive: boolean },
  ): Promise<{ found: FoundMail[]; next: string | null }>;
  /**
   * Reads the mail from its present folder, or tells why it must not become a ticket. `missing` means that the provider
   * does not have the mail, or does not show it yet. That can take seconds after the provider listed the mail.
   * @param rebuilds builds the mail from its parts when the provider cannot give the original
   */
  fetch(
    found: FoundMail,
    options?: { rebuilds: boolean },
  ): Promise<FetchedMail | { skipped: 'missing' | 'draft' | 'junk' | 'deleted' | 'chat' }>;
  /** The keys of the folders or mailboxes that need a subscription for news of all new mail. */
  watchKeys: readonly string[];
  /** Subscribes, and replaces an earlier subscription of ours for the same key. */
  watch(key: string, target: WatchTarget): Promise<Watch>;
  /** Extends a subscription. Throws kind `not-found` when it has expired or was removed: then call `watch` again. */
  renewWatch(watch: Watch, target: WatchTarget): Promise<Watch>;
  /** Succeeds also when the subscription is already gone. */
  stopWatch(watch: Watch): Promise<void>;
  /**
   * Sends a mail. After a fault with `mayHaveHappened` the mail may have left: ask `findSent` before you send again.
   * @returns the copy in the sent folder, or null while the copy does not show yet
   */
  send(mail: HostedMail, steps: SendSteps): Promise<SentCopy | null>;
  /**
   * Finds out whether a mail left after its sending was interrupted.
   * @param mail.findTaken which of these provider ids need no look, because their mails are taken: a copy of an answer
   *   ends the answer's delivery when it is taken
   * @returns the copy if the mail left, `draft` while its draft waits unsent, undefined if there is no trace (yet),
   *   `unknowable` if a mail that left need not leave a trace
   */
  findSent(mail: {
    rfcMessageId: string;
    draftId: string | null;
    threadId: string | null;
    since: Date;
    findTaken: (providerIds: readonly string[]) => Promise<ReadonlySet<string>>;
  }): Promise<SentCopy | 'draft' | 'unknowable' | undefined>;
  /**
   * Puts the copy of a sent mail into the sent folder unless it is there. Only for mails that certainly left.
   * @param options.isLastLook otherwise only looks, while the server may still file it
   * @returns whether the copy is there, or needs no place
   */
  fileCopy(copy: Omit<UnfiledCopy, 'mayBeFiledBy'>, options: { isLastLook: boolean }): Promise<boolean>;
  /**
   * Marks or moves taken mails as the mailbox's `AfterIntake` says. May be repeated: a mail that is gone or is another
   * one by now is passed over. Missing where providers leave mail alone.
   */
  tidy?(mails: readonly TakenMail[]): Promise<void>;
};

export type ChangesPage = {
  found: FoundMail[];
  cursor: string | null;
  /** When the mails of a folder arrived, told before the first of them where there are unusually many. */
  arrivals?: readonly Date[];
};

export type TakenMail = { providerId: string; rfcMessageId: string | null };

export type MailboxProfile = {
  address: string;
  /**
   * The provider's id of the mailbox's user, which survives a change of address. Null if the provider has no such id.
   */
  userId: string | null;
  /** The account whose rights open a shared mailbox. Null when the mailbox's own account consented. */
  delegateAddress: string | null;
};

export type FoundMail = {
  providerId: string;
  folder: 'inbox' | 'sent';
  /** The provider named the mail but did not list it in the folder. The mail may have been moved, and may be old. */
  isCandidate?: true;
  /** Its Message-ID, without brackets, where the list has it. */
  rfcMessageId?: string | null;
};

export type FetchedMail = {
  providerId: string;
  /** The mail's folder now, or the folder where it was found if it has moved elsewhere since. */
  folder: 'inbox' | 'sent';
  /** The mail is in neither folder any more. */
  isFiled: boolean;
  threadId: string | null;
  receivedAt: Date;
  /** RFC 5322. */
  raw: Buffer;
};

export type Watch = { key: string; subscriptionId: string | null; expiresAt: Date };

/** An outgoing mail that the provider sends through the mailbox. */
export type HostedMail = {
  sender: string;
  recipients: readonly string[];
  /** Our Message-ID, without brackets. The mail also has it in `ownIdHeader`, which providers do not change. */
  rfcMessageId: string;
  /** The provider's thread that the mail continues, if any. */
  threadId: string | null;
  /** The header leaves these out: the provider gets them apart from the mail. */
  bcc: readonly string[];
  /** The whole mail. @param namesBcc writes Bcc into the header, for a provider that removes Bcc before delivery */
  whole(options?: { namesBcc: boolean }): Readable;
  /** The mail without attachments, for providers that take large files apart. Inline images count as attachments. */
  withoutFiles(): Readable;
  files: readonly HostedFile[];
};

export type HostedFile = {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  /** Without brackets. Set for an image that the HTML shows. */
  contentId: string | null;
  open(): Promise<Readable>;
};

/** Callbacks that make each step durable before the next step begins. */
export type SendSteps = {
  /** The draft of this mail from an earlier attempt. */
  draftId: string | null;
  onDraft(draftId: string): Promise<void>;
  /** Awaited before the request that sends. If it throws, the mail does not leave. */
  beforeSend(): Promise<void>;
  /** Gets the copy of a mail that left, where it is not in the sent folder by itself: see `fileCopy`. */
  onUnfiled?(copy: UnfiledCopy): void;
  /** Gets the recipients whom the server refused while it took the mail for the rest. */
  onRefused?(refused: RefusedRecipients): void;
};

/** The server's status, and for people whom it refused. */
export type RefusedRecipients = { code: string; reason: string };

/** `mayBeFiledBy`: the server may file it itself, some moments later. */
export type UnfiledCopy = { rfcMessageId: string; raw: Buffer; mayBeFiledBy: 'server' | 'us' };

/** The copy of our mail in the mailbox's sent folder. */
export type SentCopy = {
  providerId: string;
  threadId: string | null;
  /** The Message-ID that recipients see, without brackets. */
  wireMessageId: string | null;
};
