/** The behaviour of the Graph emulator. Defaults are Graph on a good day. */
export type Behaviour = {
  accessTokenSeconds: number;
  /** Users may not consent until an administrator has approved the application. This is Microsoft's default. */
  needsApproval: boolean;
  /** How long a replaced refresh token keeps working. */
  refreshGraceSeconds: number;
  /** Limits of one mailbox: concurrent requests, and requests in ten minutes. */
  concurrencyMax: number;
  requestsPerWindow: number;
  retryAfterSeconds: number;
  /** A delay before each answer. */
  latencyMs: number;
  /**
   * Accepts a second subscription to the same resource and lists no subscriptions. Otherwise refuses the second
   * subscription.
   */
  takesTwins: boolean;
  /** The documentation says 10,080; the live service allows 10,070. */
  expiryMinutesMax: number;
  /** How long before its end a subscription asks for reauthorization. */
  reauthorizationLeadMinutes: number;
  /** Rewrites `$value`, so that its bytes differ from the received mail. */
  rebuildsMime: boolean;
  /** The share of mails whose `$value` always answers 500. */
  mimeFailureRate: number;
  /** Gives sent mail a new Message-ID. */
  rewritesMessageIds: boolean;
  /** Gives the sent copy another immutable id than the draft. */
  sentIdsChange: boolean;
  /** How long after sending the sent copy appears. */
  sentDelayMs: number;
  /** Reports a new mail as created and then as updated. */
  followsUp: boolean;
  sparseItems: boolean;
  /** The share of delta pages that are empty but link to a next page. All rates are 0 to 1. */
  emptyPageRate: number;
  /** The share of delta rounds that repeat changes of earlier rounds. */
  replayRate: number;
  /** Changes younger than this wait for the next round. */
  deltaLagMs: number;
  /** With immutable ids, reports a mail that left and re-entered its folder only as removed. */
  hidesReturns: boolean;
  /** How many mails a filtered delta lists: in its first round, or over the life of its links. */
  filteredDeltaMax: number;
  filteredDeltaMaxIsForLife: boolean;
  /** Answers 400 to filtered deltas; the rate answers 400 to requests with a delta link. */
  refusesDeltaFilters: boolean;
  deltaLinkRefusalRate: number;
  /** The share of mails that get a new conversationId although they continue a conversation. */
  conversationBreakRate: number;
  /** How long notifications wait to be sent together, and the most in one request. */
  pushDelayMs: number;
  batchMax: number;
  pushTimeoutMs: number;
  retryTimeoutMs: number;
  retryBaseMs: number;
  dropRate: number;
  /** Announces notifications that `dropRate` dropped with a `missed` event. */
  announcesDrops: boolean;
  duplicateRate: number;
  reorderRate: number;
  /** The share of notifications with a null clientState, as in tenants that strip it. */
  clientStateNullRate: number;
  delayRate: number;
  delayMsMax: number;
  /** An endpoint with fewer answers in ten minutes is never judged slow or dropped. */
  judgedFrom: number;
};

export const usualBehaviour: Behaviour = {
  accessTokenSeconds: 3_599,
  needsApproval: false,
  refreshGraceSeconds: 3_600,
  concurrencyMax: 4,
  requestsPerWindow: 10_000,
  retryAfterSeconds: 1,
  latencyMs: 0,
  takesTwins: false,
  expiryMinutesMax: 10_070,
  reauthorizationLeadMinutes: 60,
  rebuildsMime: true,
  mimeFailureRate: 0,
  rewritesMessageIds: true,
  sentIdsChange: false,
  sentDelayMs: 50,
  followsUp: true,
  sparseItems: true,
  emptyPageRate: 0,
  replayRate: 0,
  deltaLagMs: 0,
  hidesReturns: true,
  filteredDeltaMax: 5_000,
  filteredDeltaMaxIsForLife: false,
  refusesDeltaFilters: false,
  deltaLinkRefusalRate: 0,
  conversationBreakRate: 0,
  pushDelayMs: 2,
  batchMax: 10,
  pushTimeoutMs: 3_000,
  retryTimeoutMs: 10_000,
  retryBaseMs: 1_000,
  dropRate: 0,
  announcesDrops: false,
  duplicateRate: 0,
  reorderRate: 0,
  clientStateNullRate: 0,
  delayRate: 0,
  delayMsMax: 2_000,
  judgedFrom: 20,
};
