/**
 * The figures of one ticket, from what happened to it. This is their only definition: `ticket_metrics` and
 * `ticket_responses` keep what it says (docs/reports.md). Times are milliseconds since 1970.
 */

export type HistoryMessage = {
  id: string;
  /** By which messages and facts are ordered. */
  writtenAt: number;
  /** When a mail server accepted an answer. Until then the customer waits. */
  at: number;
  /** `customer`: a person outside wrote. `answer`: a member wrote to the customer, and it was accepted. */
  kind: 'customer' | 'answer' | 'note';
  userId: string | null;
};

export type HistoryFact =
  | { at: number; type: 'status'; from: string; to: string; userId: string | null }
  | { at: number; type: 'assigned'; from: string | null; to: string | null };

export type History = {
  createdAt: number;
  /** The status now. */
  status: string;
  /** In order of time. */
  facts: readonly HistoryFact[];
  /** In the order in which they were written. */
  messages: readonly HistoryMessage[];
};

/** A wait of a customer that an answer ended. */
export type Response = { messageId: string; at: number; userId: string | null; isFirst: boolean } & Lasted;

/** How long something took, in whole seconds: by the clock, and within the hours of a calendar. */
export type Lasted = { seconds: number; businessSeconds: number | null };

export type Metrics = {
  firstCustomerAt: number | null;
  responses: Response[];
  answers: number;
  customerMessages: number;
  notes: number;
  /** When the ticket began to be open: at its creation, and each time it was reopened. */
  openedAt: number[];
  closedAt: number[];
  /** Null: the ticket is open. */
  resolvedAt: number | null;
  resolvedBy: string | null;
  /** The time that the ticket was open until it was last closed. */
  resolution: Lasted | null;
  reassignments: number;
  /** Resolved by one answer, and never reopened. */
  isOneTouch: boolean;
};

/** The time between two instants within the hours of a calendar, in milliseconds. */
export type BusinessTime = (from: number, to: number) => number;

/** @param businessTime null: the workspace has no calendar */
export function metricsOf(history: History, businessTime: BusinessTime | null): Metrics {
  const lasted = (spans: readonly Span[]): Lasted => ({
    seconds: seconds(spans, (from, to) => to - from),
    businessSeconds: businessTime && seconds(spans, businessTime),
  });
  const { openedAt, closedAt, closedBy, isClosed } = turnsOf(history);
  const responses = responsesOf(history.messages, closedAt).map(({ from, ...response }, index) => ({
    ...response,
    isFirst: index === 0,
    ...lasted([{ from, to: response.at }]),
  }));
  const count = (kind: HistoryMessage['kind']) => history.messages.filter((message) => message.kind === kind).length;
  const answers = count('answer');
  const resolvedAt = isClosed ? (closedAt.at(-1) ?? null) : null;
  const reopens = closedAt.length - (isClosed ? 1 : 0);
  return {
    firstCustomerAt: history.messages.find(({ kind }) => kind === 'customer')?.writtenAt ?? null,
    responses,
    answers,
    customerMessages: count('customer'),
    notes: count('note'),
    openedAt,
    closedAt,
    resolvedAt,
    resolvedBy: resolvedAt === null ? null : closedBy,
    resolution: resolvedAt === null ? null : lasted(spansOf(openedAt, closedAt)),
    reassignments: history.facts.filter((fact) => fact.type === 'assigned' && fact.from !== null && fact.to !== null)
      .length,
    isOneTouch: resolvedAt !== null && answers === 1 && reopens === 0,
  };
}

type Span = { from: number; to: number };
/** The largest that the columns hold: 68 years, as after a mail whose date is wrong. */
const secondsMax = 2 ** 31 - 1;

function seconds(spans: readonly Span[], between: BusinessTime): number {
  const ms = spans.reduce((sum, { from, to }) => sum + (to > from ? between(from, to) : 0), 0);
  return Math.min(secondsMax, Math.floor(ms / 1_000));
}

/** A ticket that was closed before its first fact, as an imported one, has no time at which it was resolved. */
function turnsOf({ createdAt, status, facts }: History) {
  const changes = facts.filter((fact) => fact.type === 'status');
  const begun = changes[0]?.from ?? status;
  const openedAt = begun === 'closed' ? [] : [createdAt];
  const closedAt: number[] = [];
  let isClosed = begun === 'closed';
  let closedBy: string | null = null;
  for (const { at, to, userId } of changes) {
    if (to === 'closed' && !isClosed) {
      closedAt.push(at);
      closedBy = userId;
    } else if (to !== 'closed' && isClosed) openedAt.push(at);
    isClosed = to === 'closed';
  }
  return { openedAt, closedAt, closedBy, isClosed };
}

function spansOf(openedAt: readonly number[], closedAt: readonly number[]): Span[] {
  return openedAt.flatMap((from) => {
    const to = closedAt.find((at) => at >= from);
    return to === undefined ? [] : [{ from, to }];
  });
}

/** A customer waits from the oldest message that nobody has answered. Closing the ticket ends the wait unanswered. */
function responsesOf(messages: readonly HistoryMessage[], closedAt: readonly number[]) {
  const responses: { messageId: string; at: number; userId: string | null; from: number }[] = [];
  let waitsSince: number | null = null;
  for (const { id, writtenAt, at, kind, userId } of messages) {
    if (kind === 'note') continue;
    const since: number | null = waitsSince;
    if (since !== null && closedAt.some((closed) => closed > since && closed < writtenAt)) waitsSince = null;
    if (kind === 'customer') waitsSince ??= writtenAt;
    else if (waitsSince !== null) {
      responses.push({ messageId: id, at, userId, from: waitsSince });
      waitsSince = null;
    }
  }
  return responses;
}
