/** How the Graph emulator behaves: as Graph on a good day, unless it is told otherwise. */
export type Behaviour = {
  accessTokenSeconds: number;
  /** People may not consent themselves until an administrator has approved the application, as Microsoft has it by default. */
  needsApproval: boolean;
  /** How long a refresh token works on after it was replaced. */
  refreshGraceSeconds: number;
  /** Requests at once of one mailbox, and in ten minutes. */
  concurrencyMax: number;
  requestsPerWindow: number;
  retryAfterSeconds: number;
  /** Before each answer. */
  latencyMs: number;
  /** A second subscription to the same is taken and stands beside the first, and none is listed; else it is refused. */
  takesTwins: boolean;
  /** 10,080 by the documentation, 10,070 live. */
  expiryMinutesMax: number;
  /** How long before its end a subscription asks to be authorised again. */
  reauthorizationLeadMinutes: number;
  /** `$value` is written anew, so not byte for byte what came. */
  rebuildsMime: boolean;
  /** Mails of which `$value` never answers but with a 500. */
  mimeFailureRate: number;
  /** Mail that is sent gets another Message-ID. */
  rewritesMessageIds: boolean;
  /** The sent copy's immutable id is not the draft's. */
  sentIdsChange: boolean;
  /** How long after the send its copy shows. */
  sentDelayMs: number;
  /** A new mail is told of as created, and then as updated. */
  followsUp: boolean;
  sparseItems: boolean;
  /** Pages of a delta round that hold nothing and lead on; rates are 0 to 1. */
  emptyPageRate: number;
  /** Rounds that list again what earlier ones listed. */
  replayRate: number;
  /** What is younger waits for the next round. */
  deltaLagMs: number;
  /** By its immutable id, a mail that left its folder and is back in it is told of as removed alone. */
  hidesReturns: boolean;
  /** Of so many mails a filtered delta tells: in its first round, or over the whole life of its links. */
  filteredDeltaMax: number;
  filteredDeltaMaxIsForLife: boolean;
  /** Requests for a delta with a filter, and for the changes since a delta link, that are refused with a 400. */
  refusesDeltaFilters: boolean;
  deltaLinkRefusalRate: number;
  /** Mail that continues a conversation and gets a new conversationId all the same. */
  conversationBreakRate: number;
  /** How long notifications wait for others to travel with, and how many go together at most. */
  pushDelayMs: number;
  batchMax: number;
  pushTimeoutMs: number;
  retryTimeoutMs: number;
  retryBaseMs: number;
  dropRate: number;
  /** Whether what was dropped by rate is owned up to with `missed`. */
  announcesDrops: boolean;
  duplicateRate: number;
  reorderRate: number;
  /** Items whose clientState is null, as in tenants that strip it. */
  clientStateNullRate: number;
  delayRate: number;
  delayMsMax: number;
  /** Answers in ten minutes below which an endpoint is neither slow nor dropped. */
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
