/** What the Graph emulator knows. */
import type { Agent } from 'node:http';
import type { VirtualClock } from './clock.ts';
import type { Habit } from './customer-mail.ts';
import type { Behaviour } from './graph-behaviour.ts';
import type { Random } from './random.ts';

export type World = {
  /** Without a path; set once it listens. */
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
  /** What an administrator approved for everybody. */
  approvedScopes: Set<string>;
  subscriptions: Map<string, Subscription>;
  /** Those that ended, whatever by. */
  ended: Subscription[];
  /** Where notifications go, by address. */
  endpoints: Map<string, Endpoint>;
  uploads: Map<string, Upload>;
  faults: Fault[];
  /** What went to addresses outside, oldest first. */
  outgoing: OutgoingMail[];
  /** Of people outside, by address in lower case. */
  habits: Map<string, Habit>;
  onOutgoing: ((raw: Buffer, recipients: string[]) => unknown) | undefined;
  pushes: Push[];
  requests: RequestLine[];
  /** What a client should not do, in sentences. */
  misuses: string[];
  agent: Agent;
};

export type Grant = {
  /** Undefined: the application itself, which reaches every mailbox. */
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
  /** Further addresses at which it receives. */
  aliases: string[];
  /** Accounts with full access to it, by address in lower case. */
  delegates: Map<string, { sendsAs: boolean }>;
  /** What its ids begin with, after what all ids begin with. */
  key: string;
  folders: Record<FolderName, Folder>;
  /** By both of their ids. */
  items: Map<string, Item>;
  byMessageId: Map<string, Set<Item>>;
  /** conversationId by Message-ID. */
  conversations: Map<string, string>;
  sequence: number;
  /** Delta links of earlier ones are refused, in the manner last asked for. */
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
  /** Another one after each move. */
  id: string;
  /** Null: gone, or not in its place yet. */
  folder: FolderName | null;
  conversationId: string;
  /** With brackets. */
  internetMessageId: string;
  raw: Buffer;
  /** Its MIME cannot be built. */
  isUnbuildable: boolean;
  /** Extended properties, by their id. */
  properties: Map<string, string>;
  /** Added to a draft, and not in its raw bytes yet. */
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

/** A file that comes in slices. */
export type Upload = {
  address: string;
  itemId: string;
  /** Its name and kind, as they were given. */
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
  /** How it ended. */
  end: 'deleted' | 'expired' | 'removed' | null;
  /** What waits until it is authorised again; null: it is. */
  held: Notice[] | null;
  renewals: { at: Date; by: 'PATCH' | 'reauthorize' }[];
  /** Takes the event before its end back. */
  forgetLead: () => void;
};

export type Notice = { subscription: Subscription; body: object };

export type Endpoint = {
  url: string;
  pending: Notice[];
  isScheduled: boolean;
  underWay: number;
  /** Answers by ten seconds, for judging how quick it is. */
  answers: Map<number, { all: number; slow: number; verySlow: number }>;
  slowUntil: number;
  dropUntil: number;
  /** Told `missed` when dropping ends. */
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
  /** Name of the operation, or `*`. */
  on: string;
  address?: string;
  /** `status` by default; `stalled`: no answer; `broken`: the connection ends; `slow`: the answer comes after `delayMs`. */
  kind?: 'status' | 'stalled' | 'broken' | 'slow';
  status?: number;
  code?: string;
  retryAfterSeconds?: number;
  /** The answer has no body. */
  isEmpty?: boolean;
  delayMs?: number;
  /** The request is carried out before it fails. */
  isCarriedOut?: boolean;
  /** How often; 1 unless it is said, null without end. */
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

/** Adds to a log that keeps its last lines. */
export function keepLast<T>(log: T[], line: T, max = 100_000): void {
  log.push(line);
  if (log.length > max) log.splice(0, max / 2);
}
