/** The state of the Graph emulator. */
import type { Agent } from 'node:http';
import type { VirtualClock } from '../clock.ts';
import type { Habit } from '../customer-mail.ts';
import type { Random } from '../random.ts';
import type { Behaviour } from './behaviour.ts';

export type World = {
  /** Without a path; set once the server listens. */
  url: string;
  clock: VirtualClock;
  random: Random;
  behaviour: Behaviour;
  client: { id: string; secret: string };
  /** By address in lower case. */
  mailboxes: Map<string, Mailbox>;
  tokens: {
    access: Map<string, AccessToken>;
    refresh: Map<string, Grant & { deadFrom: number }>;
    codes: Map<string, Grant & { challenge: string | null; redirectUri: string }>;
  };
  /** Scopes that an administrator approved for all users. */
  approvedScopes: Set<string>;
  subscriptions: Map<string, Subscription>;
  /** Ended subscriptions, for any reason. */
  ended: Subscription[];
  /** Notification endpoints by URL. */
  endpoints: Map<string, Endpoint>;
  uploads: Map<string, Upload>;
  faults: Fault[];
  /** Mail to outside addresses, oldest first. */
  outgoing: OutgoingMail[];
  /** By outside address in lower case. */
  habits: Map<string, Habit>;
  onOutgoing: ((raw: Buffer, recipients: string[]) => unknown) | undefined;
  pushes: Push[];
  requests: RequestLine[];
  /** Client mistakes, as sentences. */
  misuses: string[];
  agent: Agent;
};

export type Grant = {
  /** Undefined for the application itself, which reaches every mailbox. */
  address: string | undefined;
  scopes: string[];
};
export type AccessToken = Grant & { expiresAt: number };

export const folderNames = ['inbox', 'sentitems', 'drafts', 'deleteditems', 'junkemail', 'archive'] as const;
export type FolderName = (typeof folderNames)[number];
export type ChangeKind = 'created' | 'updated' | 'deleted';

export type Mailbox = {
  address: string;
  displayName: string;
  userId: string;
  /** Further addresses that receive mail for the mailbox. */
  aliases: string[];
  /** Accounts with full access to the mailbox, by address in lower case. */
  delegates: Map<string, { sendsAs: boolean }>;
  /** The part of the mailbox's ids after the prefix common to all ids. */
  key: string;
  folders: Record<FolderName, Folder>;
  /** By both ids of each item. */
  items: Map<string, Item>;
  byMessageId: Map<string, Set<Item>>;
  /** conversationId by Message-ID. */
  conversations: Map<string, string>;
  sequence: number;
  /** Delta links of earlier epochs are refused, as `deltaReset` says. */
  deltaEpoch: number;
  deltaReset: DeltaReset;
  subscriptions: Set<Subscription>;
  traffic: { atOnce: number; windowEndsAt: number; count: number };
};
export type DeltaReset = '410' | 'syncStateNotFound' | 'SyncStateNotFound' | 'resyncRequired';

type Folder = { id: string; name: FolderName; log: Change[] };
export type Change = { item: Item; kind: ChangeKind; at: number; id: string };

export type Item = {
  immutableId: string;
  /** Changes with each move. */
  id: string;
  /** Null: deleted, or not placed yet. */
  folder: FolderName | null;
  conversationId: string;
  /** With brackets. */
  internetMessageId: string;
  raw: Buffer;
  /** `$value` always fails. */
  isUnbuildable: boolean;
  /** Extended properties by id. */
  properties: Map<string, string>;
  /** Added to a draft, but not yet in its raw bytes. */
  files: AttachedFile[];
  isDraft: boolean;
  isRead: boolean;
  receivedAt: Date;
  changeKey: number;
};
export type AttachedFile = {
  id: string;
  name: string;
  contentType: string;
  contentId: string | null;
  isInline: boolean;
  content: Buffer;
};

/** A file uploaded in slices. */
export type Upload = {
  address: string;
  itemId: string;
  /** Name and type of the file, as given. */
  wish: Record<string, unknown>;
  sizeBytes: number;
  slices: Buffer[];
  takenBytes: number;
};

export type Subscription = {
  id: string;
  address: string;
  /** Undefined: the whole mailbox. */
  folder: FolderName | undefined;
  resource: string;
  changeTypes: ChangeKind[];
  notificationUrl: string;
  lifecycleNotificationUrl: string | null;
  clientState: string | null;
  expiresAt: Date;
  isImmutable: boolean;
  createdAt: Date;
  /** Null while the subscription lives. */
  end: 'deleted' | 'expired' | 'removed' | null;
  /** Notifications that wait for reauthorization. Null if none is due. */
  held: Notice[] | null;
  renewals: { at: Date; by: 'PATCH' | 'reauthorize' }[];
  /** Cancels the event that announces the end. */
  forgetLead: () => void;
};

export type Notice = { subscription: Subscription; body: object };

export type Endpoint = {
  url: string;
  pending: Notice[];
  isScheduled: boolean;
  underWay: number;
  /** Answers in slots of ten seconds, for judging the endpoint's speed. */
  answers: Map<number, { all: number; slow: number; verySlow: number }>;
  slowUntil: number;
  dropUntil: number;
  /** Subscriptions that get `missed` when the dropping ends. */
  missing: Set<Subscription>;
};

export type Push = {
  at: Date;
  url: string;
  kind: 'notifications' | 'validation';
  subscriptionIds: string[];
  count: number;
  attempt: number;
  outcome: 'taken' | 'refused' | 'timed out' | 'unreachable' | 'dropped' | 'given up';
  status: number | null;
  latencyMs: number;
};

export type RequestLine = { at: Date; operation: string; address: string | null; status: number | null };

export type Fault = {
  /** The name of an operation, or `*`. */
  on: string;
  address?: string;
  /** Default `status`. `stalled` never answers, `broken` drops the connection, `slow` answers after `delayMs`. */
  kind?: 'status' | 'stalled' | 'broken' | 'slow';
  status?: number;
  code?: string;
  retryAfterSeconds?: number;
  /** Answers without a body. */
  isEmpty?: boolean;
  delayMs?: number;
  /** Carries out the request before it fails. */
  isCarriedOut?: boolean;
  /** How many requests fail. Default: 1. Null: all. */
  times?: number | null;
  rate?: number;
};

export type OutgoingMail = {
  id: string;
  at: Date;
  from: string;
  to: string;
  messageId: string;
  raw: Buffer;
};

/** Appends to a log, and drops its older half beyond `max` lines. */
export function keepLast<T>(log: T[], line: T, max = 100_000): void {
  log.push(line);
  if (log.length > max) log.splice(0, max / 2);
}
